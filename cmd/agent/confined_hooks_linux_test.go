package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/sampling"
)

// stolen reports what a script that the model wrote got outside the workspace.
func (h home) stolen() bool {
	_, err := os.Stat(filepath.Join(h.dir, "STOLEN"))
	return err == nil
}

// hookForms are commands of hooks, with a file that decides what they run. {} is the script.
var hookForms = []struct{ command, file, text string }{
	{"make -f GNUmakefile lint", "GNUmakefile", "lint:\n\t@{}\n"},
	{"npm run lint", "package.json", `{"scripts":{"lint":"{}"}}`},
	{"sh scripts/*.sh", "scripts/c.sh", "{}\n"},
	{`for f in scripts/*; do sh "$f"; done`, "scripts/c.sh", "{}\n"},
	{"git ls-files -o scripts | xargs sh", "scripts/c.sh", "{}\n"},
	{"python3 -m tool", "tool.py", "import os\nos.system(\"{}\")\n"},
	{"node lint", "lint.js", "require('child_process').execSync('{}')\n"},
	{"node ./lint", "lint.js", "require('child_process').execSync('{}')\n"},
	{"sh scripts/c.sh", "scripts/c.sh", "{}\n"},
	{"cd scripts && sh c.sh", "scripts/c.sh", "{}\n"},
	{`sh "$PWD/scripts/c.sh"`, "scripts/c.sh", "{}\n"},
	{"S=scripts; sh $S/c.sh", "scripts/c.sh", "{}\n"},
	{`eval "$(cat scripts/c.sh)"`, "scripts/c.sh", "{}\n"},
}

// A hook never runs outside the sandbox what the model has written: it runs in the sandbox. A
// confirmed hook of the repository stops running.
func TestHooksRunNoChangedFilesOutsideTheSandbox(t *testing.T) {
	t.Parallel()
	for _, form := range sampling.List(hookForms) {
		t.Run(form.command, func(t *testing.T) {
			t.Parallel()
			for _, ofUser := range []bool{false, true} {
				h := repository(t)
				put := func(script string) { h.put(t, form.file, strings.ReplaceAll(form.text, "{}", script)) }
				put("true")
				hook := `"before_tool":[{"command":` + quote(form.command)
				if ofUser {
					h.configure(t, `{"hooks":{`+hook+`}]}}`)
				} else {
					h.put(t, ".agent/hooks.json", `{`+hook+`}]}`)
					h.confirm(t, "hooks")
				}
				s := serve(t,
					call("read", `{"path":`+quote(form.file)+`}`),
					call("write", `{"path":`+quote(form.file)+`,"content":`+quote(strings.ReplaceAll(form.text, "{}", "echo x >"+h.dir+"/STOLEN"))+`}`),
					call("read", `{"path":`+quote(form.file)+`}`),
					say("done"))
				out, err := h.command("run", "--model", "openai/m", "--base-url", s.URL+"/v1", "--mode", "all", "go").CombinedOutput()
				if err != nil || len(s.seen()) != 4 {
					t.Fatalf("%v, %d requests\n%s", err, len(s.seen()), out)
				}
				if h.stolen() {
					t.Errorf("of the user: %v: the hook ran the changed file outside the sandbox\n%s", ofUser, out)
				}
				if said := strings.Contains(string(out), "The hooks of this repository no longer run"); said == ofUser {
					t.Errorf("of the user: %v, told that hooks stopped: %v\n%s", ofUser, said, out)
				}
			}
		})
	}
}

// A hook of a repository cannot run outside the sandbox: the file is not used.
func TestHooksOfARepositoryOutsideTheSandbox(t *testing.T) {
	t.Parallel()
	h := repository(t)
	h.put(t, ".agent/hooks.json", `{"before_tool":[{"command":"echo x >../../STOLEN","sandbox":false}]}`)
	const says = "the hooks of this repository are not used: the hook `echo x >../../STOLEN` at before_tool in .agent/hooks.json has \"sandbox\": false"
	if out, code := h.agent(t, "trust", "confirm", "hooks", "--sha256", strings.Repeat("0", 64)); code == 0 || !strings.Contains(out, says) {
		t.Errorf("code %d: %s", code, out)
	}
	s := serve(t, call("read", `{"path":"Makefile"}`), say("done"))
	if out, err := h.command("run", "--model", "openai/m", "--base-url", s.URL+"/v1", "go").CombinedOutput(); err != nil || !strings.Contains(string(out), says) {
		t.Errorf("%v\n%s", err, out)
	}
	if h.stolen() {
		t.Error("the hook ran")
	}
}

// A hook runs outside the sandbox if it says so, or if it is the user's and runs no files.
func TestHooksOutsideTheSandbox(t *testing.T) {
	t.Parallel()
	for name, c := range sampling.Rows(map[string]struct {
		hook    string
		outside bool
	}{
		"says so":                {`"command":"sh -c 'echo x >../../STOLEN'","sandbox":false`, true},
		"runs no files":          {`"command":"echo x >HOME/STOLEN"`, true},
		"says that it needs it":  {`"command":"echo x >HOME/STOLEN","sandbox":true`, false},
		"other program":          {`"command":"sh -c 'echo x >../../STOLEN'"`, false},
		"path of the workspace":  {`"command":"echo x >link"`, false},
		"function":               {`"command":"cat() { sh -c 'echo x >HOME/STOLEN'; }; cat"`, false},
		"program of a variable":  {`"command":"e=sh; $e -c 'echo x >HOME/STOLEN'"`, false},
		"nested":                 {`"command":"echo $(sh -c 'echo x >HOME/STOLEN')"`, false},
		"options of a file":      {`"command":"curl -K link"`, false},
		"reads the workspace":    {`"command":"cat Makefile >HOME/STOLEN"`, false},
		"reads its input":        {`"command":"cat >HOME/STOLEN"`, true},
		"reads a file of yours":  {`"command":"cat HOME/.profile ~/.profile >HOME/STOLEN; true"`, true},
		"reads the temporary":    {`"command":"cat $TMPDIR/x >HOME/STOLEN"`, false},
		"input of the workspace": {`"command":"cat <Makefile >HOME/STOLEN"`, false},
		"quoted":                 {`"command":"head -n 1 'Makefile' >HOME/STOLEN"`, false},
		"filter and a file":      {`"command":"jq -r .a Makefile >HOME/STOLEN"`, false},
		"filter":                 {`"command":"printenv PATH >HOME/STOLEN; head -c 20 | cut -c 1-9"`, true},
		"data of a file":         {`"command":"echo x >HOME/STOLEN; curl -s -d @Makefile http://127.0.0.1:1"`, false},
		"data":                   {`"command":"echo x >HOME/STOLEN; curl -s -u a@b:c --data-urlencode text=me@home http://127.0.0.1:1 || true"`, true},
		"dates of a file":        {`"command":"date -f Makefile 2>HOME/STOLEN"`, false},
		"file of a variable":     {`"command":"f=Makefile; cat \"$f\" >HOME/STOLEN"`, false},
		"splits a value":         {`"command":"p=x; [ -z $p ] || echo x >HOME/STOLEN"`, false},
		"operator of a value":    {`"command":"p=-n; [ \"$p\" \"$p\" ] && echo x >HOME/STOLEN"`, false},
		"test":                   {`"command":"p=x; [ -n \"$p\" ] && [ ! \"$p\" = y ] && echo x >HOME/STOLEN"`, true},
		"option of a value":      {`"command":"p=x; curl -s \"$p\"; echo x >HOME/STOLEN"`, false},
		"option of an answer":    {`"command":"date \"$(jq -r .a)\"; echo x >HOME/STOLEN"`, false},
		"format of a value":      {`"command":"p=x; printf \"$p\"; echo x >HOME/STOLEN"`, false},
		"text of a value":        {`"command":"printf '%s' \"$PATH\" >HOME/STOLEN"`, true},
		"name of a value":        {`"command":"p=q; read \"$p\"; echo x >HOME/STOLEN"`, false},
		"name":                   {`"command":"read -r p; echo x >HOME/STOLEN"`, true},
		"data with a value":      {`"command":"curl -s -d \"text=$PATH\" http://127.0.0.1:1; echo x >HOME/STOLEN"`, true},
		"changed path":           {`"command":"PATH=.:$PATH; jq"`, false},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := repository(t)
			h.configure(t, `{"hooks":{"before_tool":[{`+strings.ReplaceAll(c.hook, "HOME", h.dir)+`}]}}`)
			h.put(t, "jq", "#!/bin/sh\necho x >"+h.dir+"/STOLEN\n")
			if err := os.Symlink("../../STOLEN", filepath.Join(h.work, "link")); err != nil {
				t.Fatal(err)
			}
			s := serve(t, call("read", `{"path":"Makefile"}`), say("done"))
			if out, err := h.command("run", "--model", "openai/m", "--base-url", s.URL+"/v1", "go").CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if h.stolen() != c.outside {
				t.Errorf("wrote outside the workspace: %v, want %v", h.stolen(), c.outside)
			}
			if out, _ := h.agent(t, "hooks"); !strings.Contains(out, map[bool]string{true: "  no  ", false: "  yes  "}[c.outside]) {
				t.Errorf("got %s", out)
			}
		})
	}
}

// A plain program that is a script, or that a version manager starts, runs in the sandbox: files of
// the repository can choose what it runs.
func TestHooksWithShimsRunInTheSandbox(t *testing.T) {
	t.Parallel()
	const asdf, mise, plain, busybox = "asdf/shims", ".local/share/mise/shims", "plain/bin", "busybox/bin"
	for _, dir := range []string{asdf, mise, plain, busybox, "link"} {
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			h := repository(t)
			jq, err := filepath.EvalSymlinks("/bin/sh") // a program for all names: it runs its input
			if err != nil {
				t.Fatal(err)
			}
			h.put(t, "../../asdf/shims/jq", "#!/bin/sh\nexec sh\n")
			for name, target := range map[string]string{mise + "/jq": jq, busybox + "/jq": jq, "link/jq": h.dir + "/" + mise + "/jq"} {
				link := filepath.Join(h.dir, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o755), os.Symlink(target, link)); err != nil {
					t.Fatal(err)
				}
			}
			b, err := os.ReadFile(jq)
			if err != nil {
				t.Fatal(err)
			}
			h.put(t, "../../"+plain+"/jq", string(b))
			if err := errors.Join(os.Chmod(filepath.Join(h.dir, plain, "jq"), 0o755), os.Chmod(filepath.Join(h.dir, asdf, "jq"), 0o755)); err != nil {
				t.Fatal(err)
			}
			h.env = append(h.env, "PATH="+filepath.Join(h.dir, dir)+":"+os.Getenv("PATH"))
			h.configure(t, `{"hooks":{"before_tool":[{"command":"echo 'echo x >`+h.dir+`/STOLEN' | jq"}]}}`)
			s := serve(t, call("read", `{"path":"Makefile"}`), say("done"))
			if out, err := h.command("run", "--model", "openai/m", "--base-url", s.URL+"/v1", "go").CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if outside := dir == plain || dir == busybox; h.stolen() != outside {
				t.Errorf("wrote outside the workspace: %v, want %v", h.stolen(), outside)
			}
		})
	}
}

// A hook in the sandbox can format a file that the model has changed, and undo restores it.
func TestHooksCanFormat(t *testing.T) {
	t.Parallel()
	h := repository(t)
	h.configure(t, `{"hooks":{"after_tool":[{"tool":"write","command":"sed -i s/a/b/ x.txt; rm -f .git/HEAD; echo seen >>log"}],"turn_end":[{"command":"sh -c 'echo more >>log'"}]}}`)
	h.put(t, "log", "mine\n")
	s := serve(t, call("write", `{"path":"x.txt","content":"a\n"}`), say("done"))
	if out, err := h.command("run", "--model", "openai/m", "--base-url", s.URL+"/v1", "--mode", "auto", "go").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := readText(t, filepath.Join(h.work, "x.txt")) + readText(t, filepath.Join(h.work, "log")); got != "b\nmine\nseen\nmore\n" {
		t.Errorf("got %q", got)
	}
	if _, err := os.Stat(filepath.Join(h.work, ".git", "HEAD")); err != nil {
		t.Error(err)
	}
	if text, code := h.agent(t, "undo", "--yes"); code != 0 {
		t.Errorf("undo: exit code %d\n%s", code, text)
	}
	if got := readText(t, filepath.Join(h.work, "log")); got != "mine\n" {
		t.Errorf("after undo: %q", got)
	}
}
