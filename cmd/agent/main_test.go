package main

import (
	"cmp"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"agent/cmd/agent/settings"
)

func TestMain(m *testing.M) {
	quiet()
	_ = flag.Set("test.parallel", strconv.Itoa(max(8, runtime.GOMAXPROCS(0)))) // they wait more than they compute
	programs := map[string]func(){
		"agent": main, "agent-with-a-fault": mainWithFault, "agent-stuck": mainStuck, "agent-probe": mainProbe, "agent-control": mainControl, "agent-shop": mainShop, "agent-impatient": mainImpatient,
	}
	testscript.Main(m, programs)
}

// quiet isolates the tests, and the program that this binary also is, from the
// servers, the keyring and the system policy of the machine. Variables that a test sets
// are kept. AGENT_TEST_POLICY is the path of a system policy.
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
	policy := cmp.Or(os.Getenv("AGENT_TEST_POLICY"), filepath.Join(os.DevNull, "policy.json"))
	systemFile = settings.SystemFile{Path: policy, Owner: os.Geteuid()}
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "../../testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, shortLife)
			e.Setenv("HOME", e.WorkDir+"/home")
			e.Setenv("USERPROFILE", e.WorkDir+"/home")
			e.Setenv("LocalAppData", e.WorkDir+"/home/.local/state")
			return os.MkdirAll(e.WorkDir+"/home", 0o755)
		},
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE") != "",
	})
}
