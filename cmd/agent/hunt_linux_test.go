package main

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// huntScript is a hostile program that a command runs. It copies everything that it
// can read, starts a process that holds a value which is not secret, and runs the probe.
// The value is in the file control.txt. The process ends when the file go-on.txt exists.
const huntScript = `env >env.txt
until [ -e go-on.txt ]; do sleep 0.05; done | CONTROL=$(cat control.txt) agent-control >started.txt &
until [ -s started.txt ]; do sleep 0.05; done
cat /proc/[0-9]*/environ >environ.txt 2>/dev/null
cat /proc/[0-9]*/cmdline >cmdline.txt 2>/dev/null
p=$$
while [ "$p" -gt 1 ]; do
  tr '\0' '\n' </proc/$p/environ >>ancestors.txt
  tr '\0' '\n' </proc/$p/cmdline >>ancestors.txt
  p=$(sed -n 's/^PPid:[[:space:]]*//p' /proc/$p/status)
done 2>/dev/null
agent-probe backwards.txt "$HOME" >probe.txt 2>&1
echo "the hunt is over"; touch hunted.txt
wait
`

// hunt is the command that runs it. A command with the text of the script would need
// approval, because its text does not show what it changes.
const hunt = "sh hunt.sh"

// The lines of backwards.txt, which the probe searches for.
const (
	theKey  = iota
	outside // in the environment of a process outside the sandbox
	inside  // in the environment of a process that the hunt starts, and in a file
)

// hunted starts a program that runs a hunt, and checks what the hunt found. It calls
// around when the hunt is over and its command still runs.
func (c canary) hunted(t *testing.T, start, around func()) {
	t.Helper()
	c.clear(t)
	controls := []string{outside: "sk-control-" + rand.Text(), inside: "sk-control-" + rand.Text()}
	c.put(t, "control.txt", controls[inside]+"\n")
	c.put(t, "backwards.txt", backwards(c.key)+"\n"+backwards(controls[outside])+"\n"+backwards(controls[inside])+"\n")
	c.put(t, "hunt.sh", huntScript)
	hold := c.command([]string{"CONTROL=" + controls[outside]}, controlName)
	in, err := hold.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := hold.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = in.Close()
		_ = hold.Process.Kill()
		_ = hold.Wait()
	}()
	start()
	waitFor(t, "the command to have searched everywhere", func() bool {
		_, err := os.Stat(filepath.Join(c.work, "hunted.txt"))
		return err == nil
	})
	around()
	probe, environ := read(t, c.home, "probe.txt"), read(t, c.home, "environ.txt")
	for line := range strings.Lines(probe) {
		if strings.HasPrefix(line, fmt.Sprintf("found %d ", theKey)) || strings.HasPrefix(line, "found a way") {
			t.Errorf("a command %s", line)
		}
	}
	process := "found %d in environ of " + controlName + "\n"
	if !strings.Contains(probe, fmt.Sprintf(process, inside)) || !strings.Contains(environ, controls[inside]) {
		t.Errorf("the command did not find the value in the process that it started: %s", probe)
	}
	if !strings.Contains(probe, fmt.Sprintf("found %d in %s\n", inside, filepath.Join(c.work, "control.txt"))) {
		t.Errorf("the command did not find the value in the file: %s", probe)
	}
	if env := read(t, c.home, "env.txt"); !strings.Contains(env, "HOME="+c.home.dir+"\n") {
		t.Errorf("the command did not see its environment: %s", env)
	}
	found := strings.Contains(probe, fmt.Sprintf("found %d ", outside)) || strings.Contains(environ, controls[outside])
	if found == c.sandbox {
		t.Errorf("the command found the value outside the sandbox: %t, want %t: %s", found, !c.sandbox, probe)
	}
	c.put(t, "go-on.txt", "")
}

// clear removes the files of a hunt.
func (c canary) clear(t *testing.T) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(c.work, "*.txt"))
	for _, f := range files {
		if err := os.Remove(f); err != nil {
			t.Fatal(err)
		}
	}
}

func backwards(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}
