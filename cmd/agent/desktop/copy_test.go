package desktop

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestCopyByProgram passes the whole text to the available clipboard program.
func TestCopyByProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a script")
	}
	dir := t.TempDir()
	taken := filepath.Join(dir, "taken")
	script := "#!/bin/sh\nexec cat > '" + taken + "'\n"
	if err := os.WriteFile(filepath.Join(dir, "xsel"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/bin/cat", filepath.Join(dir, "cat")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir) // no other program has the text
	env := map[string]string{"DISPLAY": ":0"}
	by, err := Clipboard{system: "linux", env: func(name string) string { return env[name] }}.Copy("two\nlines, “quoted”\n")
	if by != "xsel" || err != nil {
		t.Fatalf("got %q, %v, want it copied with xsel", by, err)
	}
	got, err := os.ReadFile(taken)
	if err != nil || string(got) != "two\nlines, “quoted”\n" {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := (Clipboard{system: "linux", env: func(string) string { return "" }}).Copy("x"); err == nil {
		t.Error("there is a clipboard without a display")
	}
}
