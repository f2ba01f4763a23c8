//go:build unix

package shell_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"agent/internal/tools/shell"
)

// run runs a command that is expected to start.
func run(t testing.TB, c shell.Command) shell.Result {
	t.Helper()
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	if c.Env == nil {
		c.Env = os.Environ()
	}
	r, err := shell.Run(t.Context(), c)
	if err != nil {
		t.Fatalf("%s: %v", c.Line, err)
	}
	return r
}

// cancel runs a command and cancels it when it prints "ready".
func cancel(t *testing.T, c shell.Command) shell.Result {
	t.Helper()
	c.Env = os.Environ()
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	said := ""
	c.Progress = func(text string) {
		if said += text; strings.Contains(said, "ready") {
			stop()
		}
	}
	r, err := shell.Run(ctx, c)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("%s: %v, with %+v", c.Line, err, r)
	}
	return r
}

func same[T any](t testing.TB, got, want T) {
	t.Helper()
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("got (-), want (+):\n%s", d)
	}
}

func TestRun(t *testing.T) {
	for _, c := range []struct {
		line string
		want shell.Result
	}{
		{"echo one; echo two >&2; echo three", shell.Result{Output: "one\ntwo\nthree\n", Lines: 3, Ended: "exit 0"}},
		{"printf 'no newline'", shell.Result{Output: "no newline", Lines: 1, Ended: "exit 0"}},
		{"true", shell.Result{Ended: "exit 0"}},
		{"exit 3", shell.Result{Code: 3, Ended: "exit 3"}},
		{"echo a\necho b", shell.Result{Output: "a\nb\n", Lines: 2, Ended: "exit 0"}},
		{`printf 'a\0\0b\377\376c\303'`, shell.Result{Output: "a\uFFFDb\uFFFDc\uFFFD", Lines: 1, Ended: "exit 0"}},
		{"kill -SEGV $$", shell.Result{Code: -1, Ended: "killed by SIGSEGV"}},
		{"exec 2>/dev/null; sh -c 'kill -KILL $$'; exit $?", shell.Result{Code: 137, Ended: "exit 137 (128 + SIGKILL)"}},
		{"-x", shell.Result{Code: 127, Ended: "exit 127", Output: "-x: command not found\n", Lines: 1}},
	} {
		t.Run(c.line, func(t *testing.T) {
			got := run(t, shell.Command{Line: c.line})
			got.Took = 0
			if _, after, ok := strings.Cut(got.Output, "line 1: "); ok {
				got.Output = after
			}
			same(t, got, c.want)
		})
	}
}

func TestRunsInItsDirectory(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	got := run(t, shell.Command{Line: `pwd; echo "$PWD"`, Dir: dir})
	same(t, got.Output, dir+"\n"+dir+"\n")
}

func TestEnvironmentHasNoSecrets(t *testing.T) {
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=/home/ann", "MAX_TOKENS=5", "MONKEY=1", "SSH_AUTH_SOCK=/s", "EDITOR=vim", "PWD=/elsewhere",
		"STRIPE=sk_live_x", "SESSION_COOKIE=x", "BEARER=x", "PIN=1", "CI=Bearer x", "ACCESS=AKIAX",
		"OPENAI_API_KEY=x", "GITHUB_TOKEN=x", "AWS_SECRET_ACCESS_KEY=x", "PGPASSWORD=x", "npm_config__authToken=x",
		"CLIENT_SECRET=x", "SOME_API_KEY_2=x", "GOOGLE_APPLICATION_CREDENTIALS=x", "BASH_ENV=/evil",
	}
	dir := t.TempDir()
	got := run(t, shell.Command{Line: "env", Env: env, Dir: dir})
	have := map[string]string{}
	for line := range strings.Lines(got.Output) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		have[name] = value
	}
	for name, value := range have {
		if value == "x" || value == "/evil" {
			t.Errorf("%s was handed on", name)
		}
	}
	for _, name := range []string{"STRIPE", "SESSION_COOKIE", "BEARER", "PIN", "CI", "ACCESS"} {
		if _, ok := have[name]; ok {
			t.Errorf("%s was handed on", name)
		}
	}
	if want := os.TempDir(); have["TMPDIR"] != want {
		t.Errorf("TMPDIR is %q, want %q", have["TMPDIR"], want)
	}
	for name, want := range map[string]string{
		"HOME": "/home/ann", "MAX_TOKENS": "5", "MONKEY": "1", "SSH_AUTH_SOCK": "/s", "EDITOR": "false", "PWD": dir,
		"GIT_TERMINAL_PROMPT": "0", "PAGER": "cat", "TERM": "dumb",
	} {
		if have[name] != want {
			t.Errorf("%s is %q, want %q", name, have[name], want)
		}
	}
}

func TestScrubRemovesSecretsByNameAndByValue(t *testing.T) {
	secret := []string{
		"OPENAI_API_KEY=x", "MYSQL_PWD=x", "SSHPASS=x", "REDISCLI_AUTH=x", "DOCKER_AUTH_CONFIG={}", "WORK=hidden by name",
		"DATABASE_URL=postgres://ann:hunter2@db/shop", "DSN=amqp://:hunter2@mq", "BROKEN=postgres://ann:100%@db/shop",
		"SLASH=postgres://ann:hun/ter2@db/shop", "MANY=redis://one:6379,redis://u:p@two:6379",
		"JDBC=jdbc:postgresql://db/shop?user=ann&password=hunter2", "LIBPQ=host=db user=ann password=hunter2",
		"DB_PASS=x", "DBPASS=x", "DB_PASS2=x", "HTTP_AUTH=x", "SENTRY_DSN=x", "SLACK_WEBHOOK_URL=x", "GITHUB_PAT=x", "GITHUB_PAT1=x", "API_TOKEN2=x",
		"WORK_AUTH_SOCK=x", "PASSWORD_STORE_DIR=hunter2", "JUSTPASS=host=db pass=hunter2", "API=https://api.test/v1?x=1&api_key=abc", "BASE=http://h.test/v1?key=abc",
		"SIGNED=https://h.test/?access-token=abc#x", "A=sk-proj-abcdefgh", "B=ghp_abc", "C=gho_abc", "D=github_pat_abc", "E=xoxb-1", "F=xoxp-1", "G=ghs_a", "H=glpat-a",
		"ADO=Server=db;User Id=ann;Password=hunter2;", "https_proxy=http://ann:hunter2@proxy:3128", "GOPROXY=direct,https://ann:tok@proxy.test",
	}
	plain := []string{
		"DATABASE_HOST=db", "REDIS_URL=redis://db:6379/0", "HOMEPAGE=https://ann@example.test/a:b@c", "PORTAL=http://[::1]:8080/@scope/name",
		"LS_COLORS=*.a=1:*.b=2", "PROMPT=a://b", "NOTE=reset your password=", "EMPTY=", "SSH_AUTH_SOCK=/run/agent", "PASSWORD_STORE_DIR=/home/ann/.store", "SSH_ASKPASS=/usr/bin/ask", "XAUTHORITY=/home/ann/.Xauthority", "GIT_AUTHOR_NAME=Ann",
		"LANGUAGE=sk-SK", "TASK=sk", "SEARCH=https://h.test/?q=key&keyboard=us&token=", "COMPASS=north", "PATH=/usr/bin:/bin", "MAX_TOKENS=5", "PASSIVE=1", "http_proxy=http://proxy:3128",
	}
	kept := []string{"TEST_TOKEN=needed", "CACHE_URL=redis://:pw@cache"}
	got := shell.Scrub(slices.Concat(secret, plain, kept), shell.Limits{Keep: []string{"TEST_TOKEN", "CACHE_URL"}, Hide: []string{"WORK"}})
	same(t, got, slices.Concat(plain, kept))
}

// A name that is both hidden and kept is kept: the user asked for it.
func TestCommandKeepsTheVariablesThatTheUserNames(t *testing.T) {
	got := run(t, shell.Command{
		Line: `echo "$TEST_TOKEN $OTHER_TOKEN $WORK $EDITOR"`, Env: []string{"TEST_TOKEN=a", "OTHER_TOKEN=b", "WORK=c", "EDITOR=vim"},
		Limits: shell.Limits{Keep: []string{"TEST_TOKEN", "WORK", "EDITOR"}, Hide: []string{"WORK"}},
	})
	same(t, got.Output, "a  c false\n")
}

func TestNothingWaitsForTheUser(t *testing.T) { // P6
	for _, line := range []string{
		"cat",
		"read -r x; echo got $x; [ -z \"$x\" ]",
		"bash -i -c exit 2>/dev/null; true",
		`git init -q . && git -c user.name=a -c user.email=a@b commit --allow-empty 2>&1; [ $? -ne 0 ]`,
		`git init -q . && git log --all`,
		`! $EDITOR file`,
	} {
		if strings.HasPrefix(line, "git") {
			if _, err := exec.LookPath("git"); err != nil {
				continue
			}
		}
		if got := run(t, shell.Command{Line: line}); got.Code != 0 || got.Why != shell.Ended {
			t.Errorf("%s: %+v", line, got)
		}
	}
}

func TestCommandHasNoTerminal(t *testing.T) { // P7, P12
	got := run(t, shell.Command{Line: "echo escape > /dev/tty"})
	if got.Code == 0 || !strings.Contains(got.Output, "/dev/tty") {
		t.Errorf("/dev/tty could be opened: %+v", got)
	}
	got = run(t, shell.Command{Line: "[ -t 0 ] || [ -t 1 ] || [ -t 2 ]"})
	same(t, got.Code, 1)
}

func TestLimit(t *testing.T) { // P10
	t.Parallel()
	var said strings.Builder
	got := run(t, shell.Command{Line: "echo before; sleep 600; echo after", Max: 3 * time.Second, Grace: time.Minute,
		Progress: func(text string) { said.WriteString(text) }})
	got.Took = 0
	same(t, got, shell.Result{Output: "before\n", Lines: 1, Code: -1, Ended: "killed by SIGTERM", Why: shell.TooLong})
	same(t, said.String(), "before\n")
}

func TestCancelKeepsTheOutput(t *testing.T) { // P1
	got := cancel(t, shell.Command{Line: "trap 'echo cleaned up; exit 7' TERM; echo ready; while :; do :; done", Grace: time.Minute})
	same(t, got.Output, "ready\ncleaned up\n")
	same(t, got.Ended, "exit 7")
}

func TestCancelledBeforeItStarts(t *testing.T) {
	dir := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := shell.Run(ctx, shell.Command{Line: "touch ran", Dir: dir}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("it ran")
	}
}

func TestDeletedDirectory(t *testing.T) { // P14
	dir := filepath.Join(t.TempDir(), "work")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	got := run(t, shell.Command{Line: `rm -rf "$PWD"; echo done`, Dir: dir})
	same(t, got.Output, "done\n")
	_, err := shell.Run(t.Context(), shell.Command{Line: "true", Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "working directory does not exist") {
		t.Errorf("error %v", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	run(t, shell.Command{Line: "true", Dir: dir})
}

func TestCrashLeavesNoCore(t *testing.T) { // P13
	dir := t.TempDir()
	got := run(t, shell.Command{Line: "ulimit -c; kill -ABRT $$", Dir: dir})
	same(t, []string{got.Output, got.Ended}, []string{"0\n", "killed by SIGABRT"})
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestLongOutputKeepsBothEnds(t *testing.T) {
	got := run(t, shell.Command{Line: "seq 1 100000", Keep: 1000})
	head, rest, _ := strings.Cut(got.Output, "[truncated: ")
	note, tail, ok := strings.Cut(rest, "]\n")
	if !ok || !strings.HasPrefix(head, "1\n2\n") || !strings.HasSuffix(tail, "\n99999\n100000\n") {
		t.Fatalf("output %q", got.Output)
	}
	shown := strings.Count(head+tail, "\n")
	same(t, note, fmt.Sprintf("%d bytes (%d lines) of output", 588895-len(head+tail), 100000-shown))
	if len(head+tail) > 1000 || shown < 200 || got.Lines != 100000 {
		t.Errorf("%d bytes, %d lines shown of %d", len(head+tail), shown, got.Lines)
	}
}

func TestProgressIsFolded(t *testing.T) {
	dir := t.TempDir()
	create := func() (*os.File, error) { return os.Create(filepath.Join(dir, "whole")) }
	for name, c := range map[string]struct{ line, want string }{
		"a bar":                  {`printf 'start\n'; for i in $(seq 100); do printf '\r%3d%% [####   ]' $i; done; printf '\nend\n'`, "start\n100% [####   ]\nend\n"},
		"a bar without end":      {`for i in $(seq 100); do printf '%d%%\r' $i; done`, "100%\r"},
		"carriage returns first": {`for i in 1 2 3; do printf '\r\033[K%d of 3' $i; done; echo`, "\033[K3 of 3\n"},
		"line endings":           {`printf 'a\r\nb\r\r\nc\r\n'`, "a\r\nb\r\r\nc\r\n"},
		"progress lines": {`echo begin; for i in $(seq 0 100); do echo "Downloading $i% $((i * 3)) kB/s"; done; echo end`,
			"begin\nDownloading 0% 0 kB/s\n[truncated: 99 similar progress lines]\nDownloading 100% 300 kB/s\nend\n"},
		"fractions":           {`for i in $(seq 40); do echo "step $i/40 done"; done`, "step 1/40 done\n[truncated: 38 similar progress lines]\nstep 40/40 done\n"},
		"two runs":            {`for f in a b; do for i in $(seq 20); do echo "$f $i/20"; done; done`, "a 1/20\n[truncated: 18 similar progress lines]\na 20/20\nb 1/20\n[truncated: 18 similar progress lines]\nb 20/20\n"},
		"a short run":         {`for i in 50 66 75 80 90 95 98 99 100; do echo "  $i%   $i"; done`, "  50%   50\n  66%   66\n  75%   75\n  80%   80\n  90%   90\n  95%   95\n  98%   98\n  99%   99\n  100%   100\n"},
		"other lines between": {`for i in $(seq 20); do echo "$i%"; echo "x$i"; done | head -3`, "1%\nx1\n2%\n"},
	} {
		got := run(t, shell.Command{Line: c.line, Dir: dir})
		if got.Output != strings.ReplaceAll(c.want, `\033`, "\x1b") {
			t.Errorf("%s: got %q, want %q", name, got.Output, c.want)
		}
	}
	for name, line := range map[string]string{
		"numbers":            `seq 30`,
		"a log":              `for i in $(seq 30); do echo "2026/11/22 10:00:$i handled in $i ms"; done`,
		"falling values":     `for i in $(seq 30 -1 1); do echo "$i%"; done`,
		"tests of packages":  `for i in $(seq 30); do echo "ok  pkg$i 0.1s coverage: $i.0% of statements"; done`,
		"paths with numbers": `for i in $(seq 30); do echo "a/$i/40/b"; done`,
	} {
		if got := run(t, shell.Command{Line: line, Dir: dir}); strings.Contains(got.Output, "truncated") || got.Cut || strings.Count(got.Output, "\n") != 30 {
			t.Errorf("%s: %q", name, got.Output)
		}
	}
	// The file has everything.
	got := run(t, shell.Command{Line: `for i in $(seq 300); do printf '\r%d%%' $i; done; echo`, Dir: dir, Keep: 100, Whole: create})
	whole, err := os.ReadFile(got.Whole.Path)
	if err != nil || got.Output != "300%\n" || !got.Cut || !strings.HasPrefix(string(whole), "\r1%\r2%") {
		t.Errorf("%v, %+v", err, got)
	}
}

func TestLongLineIsCutBetweenCharacters(t *testing.T) {
	for _, keep := range []int{1000, 1001, 1002, 1003, 1004, 1005} {
		got := run(t, shell.Command{Line: `for i in $(seq 1000); do printf '😀é'; done`, Keep: keep})
		if !utf8.ValidString(got.Output) || strings.ContainsRune(got.Output, utf8.RuneError) {
			t.Errorf("keep %d: %q", keep, got.Output)
		}
	}
}

func TestEndlessOutputCostsNoMemory(t *testing.T) { // P8
	size := 1_000_000_000
	if testing.Short() {
		size /= 10
	}
	for _, c := range []shell.Command{
		{Line: fmt.Sprintf("head -c %d /dev/zero", size), Max: 5 * time.Minute},
		{Line: "yes", Max: 300 * time.Millisecond},
		{Line: "cat /dev/urandom", Max: 300 * time.Millisecond},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		passed := 0
		c.Progress = func(text string) { passed = max(passed, len(text)) }
		got := run(t, c)
		runtime.ReadMemStats(&after)
		// TotalAlloc is an upper bound of the memory in use.
		perSecond := int64(1+got.Took/time.Second) << 20
		if n := int64(after.TotalAlloc - before.TotalAlloc); n > 5<<20+perSecond {
			t.Errorf("%s: allocated %d bytes", c.Line, n)
		}
		if len(got.Output) > 3*shell.DefaultKeep+100 || passed > 3*(16<<10)+100 {
			t.Errorf("%s: kept %d bytes, passed on %d at once", c.Line, len(got.Output), passed)
		}
		same(t, got.Why == shell.TooLong, c.Max < time.Second)
	}
}

func TestCompleteOutputFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "whole") // until the command has ended
	create := func() (*os.File, error) { return os.Create(file) }
	for _, c := range []struct {
		name string
		c    shell.Command
		size int // of the file; -1 is none
		cut  string
	}{
		{"short", shell.Command{Line: "seq 10", Whole: create}, -1, ""},
		{"exactly the limit", shell.Command{Line: "printf 0123456789", Keep: 10, Whole: create}, -1, ""},
		{"one more", shell.Command{Line: "printf 0123456789x", Keep: 10, Whole: create}, 11, ""},
		{"long", shell.Command{Line: "seq 100000", Whole: create}, 588895, ""},
		{"too long", shell.Command{Line: "seq 100000", Whole: create, MaxOutputFile: 50000}, 50000, "the file is limited to 50000 bytes"},
		{"not requested", shell.Command{Line: "seq 100000"}, -1, ""},
		{"no file", shell.Command{Line: "seq 100000", Whole: func() (*os.File, error) { return nil, errors.New("no room") }}, -1,
			"cannot create the file: no room"},
	} {
		t.Run(c.name, func(t *testing.T) {
			os.Remove(file)
			got := run(t, c.c)
			want := shell.Whole{Cut: c.cut}
			if c.size >= 0 {
				text, err := os.ReadFile(got.Whole.Path)
				if err != nil || len(text) != c.size {
					t.Errorf("%d bytes, %v", len(text), err)
				}
				want.Path, want.Size = filepath.Join(filepath.Dir(file), fmt.Sprintf("shell-%.13x.txt", sha256.Sum256(text))), int64(c.size)
				if _, err := os.Stat(file); err == nil {
					t.Error("the file is there twice")
				}
			}
			same(t, got.Whole, want)
			same(t, got.Ended, "exit 0")
		})
	}
}

func TestFullDiskEndsOnlyTheFile(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	got := run(t, shell.Command{Line: "seq 100000", Whole: func() (*os.File, error) { return full, nil }})
	if got.Code != 0 || got.Lines != 100000 || !strings.Contains(got.Whole.Cut, "no space left") {
		t.Errorf("result %+v", got)
	}
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Error("a device was renamed:", err)
	}
}

func TestQuietLimit(t *testing.T) { // P10
	t.Parallel()
	got := run(t, shell.Command{Line: "for i in 1 2 3 4 5 6; do echo $i; sleep 0.5; done; sleep 600", Quiet: 2 * time.Second})
	same(t, got.Why, shell.TooQuiet)
	if !strings.HasPrefix(got.Output, "1\n") {
		t.Errorf("output %q", got.Output)
	}
}

func TestInput(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.WriteString("one\ntwo\n"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	same(t, run(t, shell.Command{Line: "read x; cat; echo $x", Input: r}).Output, "two\none\n")
}

func TestProgressHasTheCompleteOutput(t *testing.T) {
	var said strings.Builder
	calls := 0
	got := run(t, shell.Command{
		// A character that is split over two writes.
		Line:     `printf 'one\n\360\237'; sleep 0.3; printf '\230\200\n'; for i in $(seq 500); do echo $i; done`,
		Progress: func(text string) { calls++; said.WriteString(text) },
	})
	same(t, said.String(), got.Output)
	if strings.ContainsRune(said.String(), utf8.RuneError) {
		t.Errorf("progress %q", said.String())
	}
	if limit := 3 + int(got.Took/(100*time.Millisecond)); calls < 2 || calls > limit {
		t.Errorf("%d calls, at most %d", calls, limit)
	}
}

func BenchmarkTrue(b *testing.B) {
	for b.Loop() {
		if _, err := shell.Run(b.Context(), shell.Command{Line: "true", Dir: "/", Env: os.Environ()}); err != nil {
			b.Fatal(err)
		}
	}
}
