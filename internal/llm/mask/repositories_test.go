package mask

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// repositories are modules whose sources are downloaded to build this one. None of them
// holds a secret of anybody: what is masked there is a false positive or a sample of a
// test.
var repositories = []string{"golang.org/x/tools", "github.com/sashabaranov/go-openai", "charm.land/glamour/v2"}

// TestFalsePositives masks all text files of the repositories.
func TestFalsePositives(t *testing.T) {
	if os.Getenv("STORM") == "" {
		t.Skip("STORM is not set: it reads many files")
	}
	files, masked := 0, 0
	size := int64(0)
	for _, module := range repositories {
		out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
		dir := strings.TrimSpace(string(out))
		if err != nil || dir == "" {
			t.Skipf("the sources of %s are not on this machine: %v", module, err)
		}
		err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil || strings.Contains(string(text), "\x00") {
				return err
			}
			files++
			size += int64(len(text))
			m := New(nil)
			if n := strings.Count(m.Text(string(text)), "[secret:"); n > strings.Count(string(text), "[secret:") {
				masked += n
				name, _ := filepath.Rel(dir, path)
				t.Logf("%s: %s: %d", module, name, n)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Attr("promise", fmt.Sprintf("texts masked as secrets in %d files (%d MB) of three public repositories: %d", files, size>>20, masked))
}
