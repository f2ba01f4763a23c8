package pipeline_test

import (
	"strings"
	"testing"

	"agent/internal/tools/shell/pipeline"
)

func TestNamesOfTheLastPipeline(t *testing.T) {
	for script, want := range map[string]string{
		"go test ./... 2>&1 | tail -20":            "go test, tail",
		"cd sub && go vet ./... | grep -v x | cat": "go vet, grep, cat",
		"make |& head":                 "make, head",
		"ls; npm run build | tee log":  "npm run build, tee log",
		"(cd x && make) | tail":        "a part of the pipe, tail",
		"$X | cat":                     "a part of the pipe, cat",
		"/usr/bin/make test | tail -1": "make test, tail",
		"timeout 60 go test | tail":    "go test, tail",
		"a | b; c | d":                 "c, d",
		"":                             "",
		"go test ./...":                "",
		"a || b":                       "",
		"a | b; c":                     "",
		"a | b &":                      "",
		"a | b && c | d":               "",
		"set -e; a | b; c | d":         "",
		"for x in 1; do a | b; done":   "",
		"echo $(a | b)":                "",
		"a | b ||":                     "",
	} {
		var names []string
		for _, p := range pipeline.Parts(script) {
			names = append(names, p.Name)
		}
		if got := strings.Join(names, ", "); got != want {
			t.Errorf("%q: got %q, want %q", script, got, want)
		}
	}
}

func TestExitCodeOneOfASearchMeansNoMatch(t *testing.T) {
	for script, want := range map[string]bool{
		"grep x f":                      true,
		"/bin/grep -rn x .":             true,
		"cd src && rg x":                true,
		"make; git grep x":              true,
		"go test ./... | grep FAIL":     true,
		"go test | tail | egrep -v ok":  true,
		"cd a && cat f | grep x":        true,
		"git log":                       false,
		"grep x f | head":               false,
		"test -f f && grep x f":         false,
		"grep x f || true":              false,
		"! grep x f":                    false,
		"grep x f &":                    false,
		"set -e; false; grep x f":       false,
		"set -o pipefail; go test|grep": false,
		"if true; then grep x f; fi":    false,
		"echo grep":                     false,
		"grep 'x":                       false,
		"":                              false,
	} {
		if got := pipeline.Searches(script); got != want {
			t.Errorf("%q: got %v, want %v", script, got, want)
		}
	}
}
