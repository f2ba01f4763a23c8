package tools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Names of devices, streams and alternative spellings are rejected, so that only
// the approved path is written.
func TestWindowsFileNames(t *testing.T) {
	ws, dir := newWorkspace(t, map[string]string{"a.txt": "one\n", "sub/b.txt": "two\n"})
	for name, why := range map[string]string{
		"NUL": "device", "con": "device", "sub/aux.txt": "device", `sub\COM1`: "device", "lpt1.c": "device",
		"a.txt:stream": "characters", "a.txt::$DATA": "characters", "sub:x/b.txt": "characters", "what?": "characters", "*.txt": "characters",
		"a.txt.": "drops", "a.txt ": "drops", "sub./b.txt": "drops", ".git./config": "drops",
		`..\a`: "leaves", `sub\..\..\a`: "leaves", `\a.txt`: "leaves", "/a.txt": "leaves", `C:\Windows\win.ini`: "leaves", `\\?\C:\Windows\win.ini`: "leaves", `\\host\share\f`: "leaves",
		filepath.Join(dir, "NUL"): "device", filepath.Join(dir, "a.txt") + ":x": "characters",
		"C:a.txt": "characters",
	} {
		for _, call := range []string{`read {"path": `, `write {"content": "x", "path": `} {
			got := play(t, ws, call+quoted(name)+"}")
			if !strings.HasPrefix(got, "refused: ") || !strings.Contains(got, why) {
				t.Errorf("%s%s: %s, want a refusal with %q", call, name, got, why)
			}
		}
	}
	for _, name := range []string{"A.TXT", `.\a.txt`, `sub\..\a.txt`, filepath.Join(dir, "a.txt"), strings.ToUpper(dir) + `\a.txt`, filepath.ToSlash(dir) + "/a.txt"} {
		if got := play(t, ws, `read {"path": `+quoted(name)+"}"); !strings.Contains(got, "one") {
			t.Errorf("read %s: %s", name, got)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("directory holds %v, %v, want it unchanged", entries, err)
	}
}

func quoted(s string) string { return `"` + strings.ReplaceAll(s, `\`, `\\`) + `"` }
