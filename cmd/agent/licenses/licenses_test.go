package licenses

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The notices have every module that is linked into the program on one of the systems, with the
// license of its version, and other licenses of directories in it. UPDATE=1 writes them, as make generate does.
func TestNotices(t *testing.T) {
	modules := linked(t)
	if os.Getenv("UPDATE") != "" {
		var b strings.Builder
		b.WriteString("The program contains these libraries.\n")
		root, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(notice("Go (standard library)", strings.TrimSpace(string(root)), t))
		for _, m := range modules {
			name, dir, _ := strings.Cut(m, "\t")
			b.WriteString(notice(name, dir, t))
		}
		if err := os.WriteFile("notices.txt", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, m := range modules {
		if name, _, _ := strings.Cut(m, "\t"); !strings.Contains(Notices(), "\n"+heading(name)) {
			t.Errorf("%s is missing; run make generate", name)
		}
	}
	if n := strings.Count(Notices(), "\n====") / 2; n != len(modules)+1 {
		t.Errorf("there are %d notices for %d modules and Go; run make generate", n, len(modules))
	}
}

// linked returns "PATH VERSION", a tab and the directory for each module, and for each directory
// of linked packages inside a module that has a license of its own.
func linked(t *testing.T) (modules []string) {
	t.Helper()
	for _, system := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}", "agent/cmd/agent")
		cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list for %s: %v", system, err)
		}
		for line := range strings.Lines(string(out)) {
			fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			if len(fields) != 4 {
				continue
			}
			path, version, root := fields[0], fields[1], fields[2]
			modules = append(modules, path+" "+version+"\t"+root)
			for dir := fields[3]; dir != root; dir = filepath.Dir(dir) {
				if len(licenseFiles(dir, t)) > 0 {
					modules = append(modules, path+filepath.ToSlash(strings.TrimPrefix(dir, root))+" "+version+"\t"+dir)
				}
			}
		}
	}
	slices.Sort(modules)
	return slices.Compact(modules)
}

var license = regexp.MustCompile(`(?i)^(licen[sc]e|copying|notice)([-.][a-z]+)?$`)

// licenseFiles returns the paths of the license files in dir.
func licenseFiles(dir string, t *testing.T) (paths []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !e.IsDir() && license.MatchString(e.Name()) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths
}

func heading(name string) string {
	line := strings.Repeat("=", 80)
	return fmt.Sprintf("%s\n%s\n%s\n", line, name, line)
}

// notice returns the texts of the license files in dir.
func notice(name, dir string, t *testing.T) string {
	t.Helper()
	paths := licenseFiles(dir, t)
	if len(paths) == 0 {
		t.Fatalf("%s has no license file", name)
	}
	text := "\n" + heading(name)
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text += "\n" + strings.TrimSpace(strings.ReplaceAll(string(b), "\r\n", "\n")) + "\n"
	}
	return text
}
