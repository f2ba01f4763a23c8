package main

import (
	"flag"
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	quiet()
	_ = flag.Set("test.parallel", strconv.Itoa(max(8, runtime.GOMAXPROCS(0)))) // they wait more than they compute
	programs := map[string]func(){
		"agent": main, "agent-with-a-fault": mainWithFault, "agent-stuck": mainStuck, "agent-probe": mainProbe, "agent-control": mainControl,
	}
	testscript.Main(m, programs)
}

// quiet isolates the tests, and the program that this binary also is, from the
// servers and the keyring of the machine. Variables that a test sets are kept.
func quiet() {
	const nowhere = "http://127.0.0.1:1"
	for name, value := range map[string]string{
		"OLLAMA_HOST": nowhere, "LMSTUDIO_BASE_URL": nowhere, "LLAMACPP_BASE_URL": nowhere, "VLLM_BASE_URL": nowhere,
		"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent/bus",
	} {
		if _, set := os.LookupEnv(name); !set {
			_ = os.Setenv(name, value)
		}
	}
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "../../testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir+"/home")
			e.Setenv("USERPROFILE", e.WorkDir+"/home")
			e.Setenv("LocalAppData", e.WorkDir+"/home/.local/state")
			return os.MkdirAll(e.WorkDir+"/home", 0o755)
		},
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE") != "",
	})
}
