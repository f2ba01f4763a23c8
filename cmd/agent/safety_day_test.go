//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"agent/internal/loop/event"
	"agent/internal/sampling"
)

// mostQuestions is the largest number of questions that a day may have. Most of them come
// at its beginning, when nothing is allowed yet: the first shortCalls calls may have
// mostOfShort.
const (
	mostQuestions = 9
	shortCalls    = 60
	mostOfShort   = mostQuestions * 2 / 3
)

// day is a scripted day of work: prompts with the calls of the model. Its file is
// testdata/day.txt.
type day struct {
	prompts []string
	calls   [][]answer // of each prompt
}

func readDay(t *testing.T) (d day) {
	t.Helper()
	text, err := os.ReadFile("../../testdata/day.txt")
	if err != nil {
		t.Fatal(err)
	}
	edits := map[string]int{"package.json": 2} // of each file; that one gets the version 1.3.0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		verb, arg, _ := strings.Cut(line, " ")
		last := len(d.prompts) - 1
		switch verb {
		case "#", "":
		case ">":
			d.prompts, d.calls = append(d.prompts, arg), append(d.calls, nil)
		case "edit":
			edits[arg]++
			before, after := fmt.Sprintf("step %d of it\n", edits[arg]), fmt.Sprintf("step %d is done\n", edits[arg])
			if arg == "package.json" {
				before, after = `"version": "1.2.0"`, `"version": "1.3.0"`
			}
			d.calls[last] = append(d.calls[last], call("edit", fmt.Sprintf(`{"path":%s,"old":%s,"new":%s}`, quote(arg), quote(before), quote(after))))
		default:
			format, ok := map[string]string{
				"$": `{"command":%s}`, "read": `{"path":%s}`, "list": `{"path":%s}`, "glob": `{"pattern":%s}`, "search": `{"pattern":%s}`,
				"write": `{"path":%s,"content":` + quote(dayFile) + `}`,
			}[verb]
			if !ok {
				t.Fatalf("%q is no call", line)
			}
			name := verb
			if verb == "$" {
				name = "shell"
			}
			d.calls[last] = append(d.calls[last], call(name, fmt.Sprintf(format, quote(arg))))
		}
	}
	return d
}

// first returns the first n calls of the day.
func (d day) first(n int) (out day) {
	for i, calls := range d.calls {
		if n <= 0 {
			break
		}
		calls = calls[:min(n, len(calls))]
		out.prompts, out.calls = append(out.prompts, d.prompts[i]), append(out.calls, calls)
		n -= len(calls)
	}
	return out
}

// count returns the number of calls.
func (d day) count() (n int) {
	for _, calls := range d.calls {
		n += len(calls)
	}
	return n
}

// dayPackage is the package.json of the day.
const dayPackage = `{
  "name": "shop",
  "version": "1.2.0",
  "scripts": {"lint": "eslint web", "test": "node --test web"}
}
`

// dayFile is the content of every other file of the repository of the day. The edits of a
// file replace its lines one after the other.
const dayFile = "step 1 of it\nstep 2 of it\nstep 3 of it\nstep 4 of it\nstep 5 of it\nstep 6 of it\n"

// newDay returns a repository to work in, with stand-ins for programs that take long.
func newDay(t *testing.T, s *server) home {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	files := map[string]string{}
	for _, name := range strings.Fields(`README.md CHANGELOG.md docs/api.md go.mod package.json cmd/shop/main.go internal/store/item.go internal/store/store.go internal/store/store_test.go
		internal/api/server.go internal/api/server_test.go web/src/index.js web/src/cart.js web/src/cart.test.js web/src/price.js web/src/header.js`) {
		files[name] = dayFile
	}
	files["package.json"] = dayPackage
	h := newHome(t, files, at(s)...)
	bin := t.TempDir()
	for name, text := range map[string]string{"go": "#!/bin/sh\necho \"ok $*\"\n", "npm": "#!/bin/sh\necho \"passed $*\"\n", "gofmt": "#!/bin/sh\n"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	h.env = append(h.env, "PATH="+bin+":"+os.Getenv("PATH"))
	for _, args := range [][]string{
		{"config", "--global", "user.name", "A User"}, {"config", "--global", "user.email", "user@example.org"}, {"init", "-q", "-b", "main"},
		{"add", "."}, {"commit", "-q", "-m", "First"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = h.work, h.env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	return h
}

// TestQuestionsOfADay counts the questions of a scripted day in mode ask: of a user who
// chooses row 2 of a dialog if it has one, and of a user who only ever says yes. Unless
// STORM is set, it plays only the beginning of the day, for the first user.
func TestQuestionsOfADay(t *testing.T) {
	t.Parallel()
	d := readDay(t)
	calls := d.count()
	if calls != 200 {
		t.Fatalf("the day has %d calls, want 200", calls)
	}
	most, whole := mostQuestions, sampling.Whole()
	if !whole {
		d, most = d.first(shortCalls), mostOfShort
	}
	questions := d.work(t, true)
	if len(questions) > most {
		t.Errorf("%d questions, want at most %d:\n%s", len(questions), most, strings.Join(questions, "\n"))
	}
	t.Logf("the questions:\n%s", strings.Join(questions, "\n"))
	if whole {
		t.Attr("promise", fmt.Sprintf("questions asked in a scripted day of %d calls in mode ask: %d", calls, len(questions)))
		questions = d.work(t, false)
		t.Attr("promise", fmt.Sprintf("questions asked in the same day if the user never chooses always allow: %d", len(questions)))
	}
}

// alwaysRow matches the row of a dialog that grants a standing permission.
var alwaysRow = regexp.MustCompile(`(?m)^ *(❯ )?2 +Yes, and (always )?allow`)

// work does the work of a day and returns the questions that were asked: the titles of
// the calls.
func (d day) work(t *testing.T, remember bool) (questions []string) {
	t.Helper()
	var answers []answer
	for i, calls := range d.calls {
		answers = append(append(answers, calls...), say(fmt.Sprintf("Prompt %d is done.", i+1)))
	}
	h := newDay(t, serve(t, answers...))
	a := h.open(t, 120, 50)
	a.wait("? help")
	ready := func(screen string) bool { return strings.Contains(screen, "esc reject and interrupt") }
	for i, prompt := range d.prompts {
		a.send(prompt + enter)
		for {
			asked, row := false, "1"
			a.until(fmt.Sprintf("a question or the end of prompt %d", i+1), func(screen string) bool {
				asked = ready(screen)
				if remember && alwaysRow.MatchString(screen) {
					row = always
				}
				return asked || strings.Contains(screen, fmt.Sprintf("Prompt %d is done.", i+1)) && strings.Contains(screen, "? help")
			})
			if !asked {
				break
			}
			a.send(row)
			a.until("no question", func(screen string) bool { return !ready(screen) })
		}
	}
	a.send("\x03\x03")
	a.exit()
	return h.decided(t, d.count())
}

// decided returns the calls of the only session that a user was asked about. It fails
// the test if a call failed, except for commands, or if not all calls have ended.
func (h home) decided(t *testing.T, calls int) (titles []string) {
	t.Helper()
	ids := h.ids(t)
	if len(ids) != 1 {
		t.Fatalf("there are %d sessions", len(ids))
	}
	v, err := h.store().View(ids[0])
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	ended, asked := 0, false // a question is answered before its call ends, and no other call runs meanwhile
	for r, err := range v.From(0) {
		if err != nil {
			t.Fatal(err)
		}
		e, err := event.Decode(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case *event.Decided:
			asked = true
		case *event.ToolEnd:
			if asked {
				titles = append(titles, e.Title)
			}
			ended, asked = ended+1, false
			if e.Outcome == event.Refused || e.Result.IsError && e.Effect != event.ExecuteEffect {
				t.Errorf("%s: %s %s", e.Title, e.Outcome, e.Result.Text)
			}
		}
	}
	if ended != calls {
		t.Errorf("%d of %d calls have ended", ended, calls)
	}
	return titles
}
