package shell

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

var moving = regexp.MustCompile(`(^|[^\w.-])(cd|pushd|popd)($|[^\w.-])`)

// follower learns where a shell is when it ends. A nil one learns nothing.
type follower struct{ tmp string }

// follow sees to it that the shell which runs line says where it is when it
// ends, if the line may move it. It returns the line and the environment to run
// it with.
//
// The shell does it in a trap. Bash sets it before it comes to the line, from
// the file in BASH_ENV, so the line sees nothing of it; in another shell it
// stands before the line. It does not come to it where the line replaces the
// shell or sets a trap on EXIT of its own.
func follow(line string, env []string) (*follower, string, []string) {
	if runtime.GOOS == "windows" || !moving.MatchString(line) {
		return nil, line, env
	}
	tmp, err := os.MkdirTemp("", "agent-")
	if err != nil {
		return nil, line, env
	}
	f := &follower{tmp: tmp}
	if strings.ContainsAny(tmp, "'\"$`\\\n") {
		return f, line, env
	}
	trap := fmt.Sprintf(`trap '{ set +x; command pwd -P >|"%s" || :; } 2>/dev/null' EXIT; `, f.file())
	if filepath.Base(Program()) != "bash" {
		return f, trap + line, env
	}
	start := filepath.Join(tmp, "start")
	if err := os.WriteFile(start, []byte("unset BASH_ENV\n"+trap+"\n"), 0o600); err != nil {
		return f, line, env
	}
	return f, line, append(env, "BASH_ENV="+start)
}

func (f *follower) file() string { return filepath.Join(f.tmp, "dir") }

// end returns where the shell was, or "" if it did not say.
func (f *follower) end() string {
	if f == nil {
		return ""
	}
	text, err := os.ReadFile(f.file())
	_ = os.RemoveAll(f.tmp)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(text), "\n")
}
