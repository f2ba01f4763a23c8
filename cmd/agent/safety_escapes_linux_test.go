package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"agent/internal/sampling"
)

// hostileSequences returns 60 sequences that control a terminal or hide text. Each one
// that has a parameter holds a number above 4700, which the program itself never writes.
func hostileSequences() (all []string) {
	n := 4700
	number := func() string { n++; return fmt.Sprint(n) }
	for _, form := range []string{"%sm", "38;5;%sm", "%s;1H", "%sJ", "%sK", "6;%sn", "%sc", ">%sc", "?%sh", "?%sl", ">%su", "=%su", "%st", "21;%st", "%sr", "!%sp", "%s q", "%s@", "%sP", "%sL", "%sM", "%sX", "%sb", "%sZ", "%sd", "%sG", "?%s$p", ">4;%sm"} {
		all = append(all, "\x1b["+strings.Replace(form, "%s", number(), 1))
	}
	for _, kind := range []string{"0", "2", "4;1", "7", "8;", "9", "52;c", "133", "777", "1337", "3008"} {
		all = append(all, "\x1b]"+kind+";P"+number()+"\a", "\x1b]"+kind+";P"+number()+"\x1b\\")
	}
	all = all[:46]
	for _, kind := range []string{"P", "_", "^"} {
		all = append(all, "\x1b"+kind+"P"+number()+"\x1b\\")
	}
	return append(all,
		"\x1bc", "\x1b#8", "\x1b]0;P"+number(), "\u009b"+number()+"m", "\u009d0;P"+number()+"\u009c", "\x9b"+number()+"m", "\x0e", "\v\f\x7f", "\u202e", "\u2066\u200b", "\u2028\ufeff")
}

// escaping tries ten hostile sequences at every entry of text into the program.
type escaping struct {
	home
	sequences []string
}

// lines returns the sequences, one a line.
func (e escaping) lines() string { return strings.Join(e.sequences, " end\n") + " end\n" }

// name returns the sequences as the name of a file.
func (e escaping) name() string {
	return "name" + strings.NewReplacer("/", "", "\x00", "").Replace(strings.Join(e.sequences, " "))
}

// serve answers with the sequences in reasoning, text, names and arguments of tools,
// then with an error and with a reason phrase.
func (e escaping) serve(t *testing.T) *server {
	t.Helper()
	var pairs []string
	for _, s := range e.sequences {
		pairs = append(pairs, "tool"+s, `{}`, "read", `{"path":`+quote("path"+s)+`}`)
	}
	pairs = append(pairs, "shell", `{"command":"cat f.txt"}`, "list", `{}`, "shell", `{"command":"ls"}`)
	thinking := "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"reasoning_content\":" + quote(e.lines()) + "},\"finish_reason\":null}]}\n\n"
	var failed atomic.Int64
	return serveFunc(t, func(s *server, w http.ResponseWriter, r *http.Request) {
		body := new(strings.Builder)
		r.Body = teeBody(r.Body, body)
		switch {
		case strings.Contains(body.String(), "the second error"):
			conn, out, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_, _ = fmt.Fprintf(out, "HTTP/1.1 418 reason %s\r\nContent-Length: 0\r\n\r\n", strings.Join(e.sequences, " "))
				_ = out.Flush()
				_ = conn.Close()
			}
		case strings.Contains(body.String(), "the first error"):
			failed.Add(1)
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error":{"message":` + quote("message "+e.lines()) + `}}`))
		default:
			s.play(w, r)
		}
	},
		answer{raw: thinking + answer{text: "Text: " + e.lines(), calls: pairs}.completion()},
		call("edit", `{"path":"f.txt","old":" end\n","new":" END\n","replace_all":true}`, "shell", `{"command":`+quote("touch x "+strings.Join(e.sequences, " "))+`}`))
}

// TestEscapeSequences gives 60 hostile sequences to the program at 12 entries: answer,
// reasoning, name and argument of a tool, output of a command, content and name of a
// file, branch, error, reason phrase, title and paste. The output is read with a
// grammar of what the program itself may write.
func TestEscapeSequences(t *testing.T) {
	all, got := hostileSequences(), atomic.Int64{}
	if len(all) != 60 {
		t.Fatalf("%d sequences, want 60", len(all))
	}
	t.Run("group", func(t *testing.T) {
		for _, group := range sampling.List(slices.Collect(slices.Chunk(all, 10))) {
			e := escaping{sequences: group}
			t.Run(fmt.Sprintf("%q", e.sequences[0]), func(t *testing.T) {
				t.Parallel()
				got.Add(int64(e.try(t)))
			})
		}
	})
	t.Attr("promise", fmt.Sprintf("escape sequences that reach the terminal, of 60 at each of 12 inputs (720 cases): %d", got.Load()))
}

// try shows the sequences and returns how many reach the terminal.
func (e escaping) try(t *testing.T) (bad int) {
	t.Helper()
	e.home = newHome(t, nil)
	e.env = append(e.env, at(e.serve(t))...)
	e.put(t, "f.txt", e.lines())
	e.put(t, ".git/HEAD", "ref: refs/heads/branch"+strings.ReplaceAll(strings.Join(e.sequences, ""), "\n", "")+"\n")
	e.put(t, ".git/config", "")
	for _, dir := range []string{".git/objects", ".git/refs"} {
		if err := os.MkdirAll(filepath.Join(e.work, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	e.put(t, e.name(), "x\n")

	a := e.open(t, 160, 60)
	a.wait("? help")
	a.send(pasted("paste "+e.lines()) + enter)
	a.asked("Edit f.txt?")
	a.send("1")
	a.asked("Run this command in")
	a.send(escape)
	a.wait("interrupted", "? help")
	a.send("\x14") // expand all
	a.send("the first error" + enter)
	a.wait("message ", "? help")
	a.send("\x03the second error" + enter)
	a.wait("answered 418") // a port may have these digits
	a.send("\x03/rename " + pasted(strings.Join(e.sequences, " ")+" title") + enter)
	a.wait("title”", "? help")
	a.send("\x07") // full screen
	a.gone("? help")
	a.send("\x1b[H\x1b[6~\x1b[6~")
	a.send(escape)
	a.wait("? help")
	a.send("\x03\x03")
	a.exit()
	<-a.done
	bad += escaped(t, a.raw)

	b := e.open(t, 160, 60, "--resume")
	b.wait("just now", "title")
	b.send(enter)
	b.wait("? help")
	b.send("\x03\x03")
	b.exit()
	<-b.done
	bad += escaped(t, b.raw)
	out, _ := e.agent(t, "sessions", "list", "--all")
	return bad + escaped(t, []byte(out))
}

// TestSplitEscapeSequences streams every sequence in two parts, cut at each character.
func TestSplitEscapeSequences(t *testing.T) {
	t.Parallel()
	var raw strings.Builder
	piece := func(text string) {
		fmt.Fprintf(&raw, "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%s},\"finish_reason\":null}]}\n\n", quote(text))
	}
	cuts := 0
	for _, s := range hostileSequences() {
		for i := range s {
			if i > 0 {
				cuts++
				piece(s[:i])
				piece(s[i:] + " ")
			}
		}
	}
	raw.WriteString(say("\n\nThat was all.").completion())
	h := newHome(t, nil)
	h.env = append(h.env, at(serve(t, answer{raw: raw.String()}))...)
	a := h.open(t, 160, 60)
	a.wait("? help")
	a.send("show them" + enter)
	a.wait("That was all.", "? help")
	a.send("\x03\x03")
	a.exit()
	<-a.done
	t.Attr("promise", fmt.Sprintf("escape sequences that reach the terminal when split in two, of %d splits: %d", cuts, escaped(t, a.raw)))
}

// The grammar of the tests finds every sequence.
func TestEscapeSequencesAreFound(t *testing.T) {
	for _, s := range hostileSequences() {
		if len(notOwn([]byte("text "+s+" text"))) == 0 {
			t.Errorf("%q is not found", s)
		}
	}
	if got := notOwn([]byte("\x1b[1;31mred\x1b[0m\r\n\x1b]0;agent\a\x1b[?25l\x1b[120;1H")); got != nil {
		t.Errorf("got %q in output of the program itself", got)
	}
}

// tokens splits the output of the program: control sequences, commands to the terminal
// with their strings, other escapes, and single characters.
var tokens = regexp.MustCompile("(?s)\x1b\\[[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|\x1b[PX^_].*?\x1b\\\\|\x1b[ -/]*[0-~]|.")

// own matches what the program writes itself, besides characters: control sequences with
// numbers below 4700, titles, links, colors, progress, pointers and notifications, and
// requests for abilities of the terminal.
var own = regexp.MustCompile("(?s)^(?:\x1b\\[[<-?]?(?:[0-9]{0,3}|1[0-9]{3}|2[0-9]{3})(?:[;:](?:[0-9]{0,3}|1[0-9]{3}|2[0-9]{3}))*[ !$]?[@-~]|\x1b\\](?:[02];|8;|9;|10;|11;|12;|22;|11[012]|777;)[^\x07\x1b]*(?:\x07|\x1b\\\\)|\x1bP\\+q[0-9A-F;]*\x1b\\\\|\x1b[78=>M])$")

// planted matches commands to the terminal whose text is that of a hostile sequence.
var planted = regexp.MustCompile("^\x1b\\][0-9]+;(?:c;|1;|;)?P47[0-9][0-9]")

// escaped returns how many parts of an output the program does not write itself.
func escaped(t *testing.T, raw []byte) int {
	t.Helper()
	if len(raw) == 0 {
		t.Error("there is no output")
	}
	found := notOwn(raw)
	for _, token := range found {
		t.Errorf("the terminal got %q", token)
	}
	return len(found)
}

// notOwn returns the parts of an output that the program does not write itself.
func notOwn(raw []byte) (found []string) {
	for _, token := range tokens.FindAllString(string(raw), -1) {
		r, _ := utf8.DecodeRuneInString(token)
		hidden := r == utf8.RuneError && token != "\ufffd" || r >= 0x7f && r < 0xa0 || r < ' ' && !strings.ContainsRune("\r\n\t\b\x1b", r) || strings.ContainsRune("\u202e\u2066\u200b\u2028\ufeff", r)
		if hidden || r == '\x1b' && (!own.MatchString(token) || planted.MatchString(token)) {
			found = append(found, token)
		}
	}
	return found
}
