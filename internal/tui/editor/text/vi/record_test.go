package vi

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"agent/internal/tui/editor/text"
)

// vimScript runs each case of a file in vim, with a new buffer and an empty register.
const vimScript = `
set nocp enc=utf-8 ts=4 sw=4 et bs=indent,eol,start nojs ul=1000
let out = []
for line in readfile('cases')
  let c = json_decode(line)
  enew!
  set ul=-1
  call setline(1, c.lines)
  set ul=1000
  call setreg('"', [])
  let @/ = 'qqq'
  call cursor(c.line, c.col)
  silent! call feedkeys("fq", 'xt')
  call feedkeys("i\<Esc>", 'xt')
  call cursor(c.line, c.col)
  for keys in c.keys
    silent! call feedkeys(keys, 'xt')
  endfor
  call add(out, json_encode({'lines': getline(1, '$'), 'line': line('.'), 'col': col('.'), 'reg': getreg('"', 1, 1), 'type': getregtype('"')}))
  bwipe!
endfor
call writefile(out, 'out')
qa!
`

// askVim fills in the results of vim.
func askVim(dir string, cases []vimCase) error {
	var in strings.Builder
	for _, c := range cases {
		before, after, _ := strings.Cut(c.text, caretSign)
		var keys []string
		for _, k := range strings.Fields(c.keys) {
			keys = append(keys, typedKeys(k))
		}
		line, err := json.Marshal(map[string]any{
			"lines": strings.Split(before+after, "\n"), "keys": keys,
			"line": strings.Count(before, "\n") + 1, "col": len(before) - strings.LastIndex(before, "\n"),
		})
		if err != nil {
			return err
		}
		in.Write(append(line, '\n'))
	}
	for name, text := range map[string]string{"cases": in.String(), "script.vim": vimScript} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	vim := exec.Command("vim", "-Nu", "NONE", "-i", "NONE", "-n", "-es", "-S", "script.vim")
	vim.Dir = dir
	if err := vim.Run(); err != nil && vim.ProcessState == nil { // the exit code is 1 if a command failed
		return err
	}
	return readAnswers(filepath.Join(dir, "out"), cases)
}

func readAnswers(file string, cases []vimCase) error {
	out, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(cases) {
		return fmt.Errorf("vim answered %d of %d cases", len(lines), len(cases))
	}
	for i, line := range lines {
		var is struct {
			Lines, Reg []string
			Line, Col  int
			Type       string
		}
		if err := json.Unmarshal([]byte(line), &is); err != nil {
			return err
		}
		at := is.Col - 1
		for _, l := range is.Lines[:is.Line-1] {
			at += len(l) + 1
		}
		all := strings.Join(is.Lines, "\n")
		c := &cases[i]
		c.want = all[:at] + caretSign + all[at:]
		c.register = text.Kill{Text: strings.Join(is.Reg, "\n"), Lines: is.Type == "V"}
		if c.register.Lines {
			c.register.Text += "\n"
		}
	}
	return nil
}

// typedKeys returns keys as encoded by a terminal.
func typedKeys(keys string) string {
	return strings.NewReplacer("<esc>", "\x1b", "<enter>", "\r", "<backspace>", "\x08", "<space>", " ", "<lt>", "<",
		"<ctrl+r>", "\x12").Replace(keys)
}

// inventor generates random cases.
type inventor struct{ *rand.Rand }

func inventCases(seed uint64, n int) (all []vimCase) {
	for i := range n {
		in := inventor{rand.New(rand.NewPCG(seed, uint64(i)))}
		line := in.text()
		at := text.Snap(line, in.IntN(len(line)+1))
		if at > 0 && at == strings.IndexByte(line[at:]+"\n", '\n')+at && line[at-1] != '\n' {
			at = text.Previous(line, at)
		}
		all = append(all, vimCase{text: line[:at] + caretSign + line[at:], keys: in.keys()})
	}
	return all
}

func (in inventor) pick(of string) string {
	all := strings.Fields(of)
	return all[in.IntN(len(all))]
}

// text returns lines of words and punctuation.
func (in inventor) text() string {
	var lines []string
	for range 1 + in.IntN(6) {
		line := ""
		switch in.IntN(8) {
		case 0:
			lines = append(lines, "")
			continue
		case 1:
			line = strings.Repeat(" ", 1+in.IntN(5))
		case 2:
			line = "\t"
		}
		for range 1 + in.IntN(6) {
			line += in.pick("foo bar_1 Hello x . , ( ) { } [ ] <b> </b> ' ( ) é 日本 12 -7 0x1f a.b! Yes. no? two") + strings.Repeat(" ", in.IntN(5)/2)
		}
		lines = append(lines, line)
	}
	if text := strings.Join(lines, "\n"); text != "" {
		return text
	}
	return "word"
}

// keys returns complete commands, separated by spaces.
func (in inventor) keys() string {
	var all []string
	for range max(in.IntN(5), 1) {
		all = append(all, in.command()...)
	}
	return strings.Join(append(all, "<esc>"), " ")
}

func (in inventor) count() string {
	if in.IntN(4) > 0 {
		return ""
	}
	return fmt.Sprint(1 + in.IntN(4))
}

func (in inventor) motion() string {
	if in.IntN(10) == 0 {
		return in.pick("0 $")
	}
	return in.count() + in.pick("h j k l w b e W B E ge gE ^ $ g_ | + - _ gg G { } % fo Fo to To f( t) ; , n N * # g* g# w b e j k fe /o<enter> ?o<enter>")
}

func (in inventor) object() string {
	if in.IntN(3) == 0 {
		return in.count() + in.pick("i( a( ib i{ a{ i[ a[ ip ap i<lt> a<lt>")
	}
	return in.pick("iw aw iW aW i( a( ib i{ a{ i[ a[ i' a' ip ap i<lt> a<lt> iw ap")
}

func (in inventor) insertion() string { return in.pick("X ab<enter>c é yy zz") + "<esc>" }

// command returns a command or a few related ones.
func (in inventor) command() []string {
	switch in.IntN(11) {
	case 0, 1:
		return []string{in.motion()}
	case 2, 3:
		return []string{in.operation()}
	case 4:
		return []string{in.change()}
	case 5:
		if in.IntN(2) == 0 {
			return in.afterwards(in.pick("dd 2dd dw daw x 2x rZ dd"))
		}
		return []string{in.count() + in.pick("dd yy >> <lt><lt> guu gUU g~~ ccX<esc>")}
	case 6:
		return in.afterwards(in.count() + in.pick("i a I A o O s C gI") + in.insertion())
	case 7:
		return in.afterwards(in.count() + in.pick("Rxy<esc> Rz<esc> Réab<esc>"))
	case 8:
		return []string{in.pick("yiw yy"), in.pick("v V"), in.motion(), in.pick("p P")}
	case 9:
		return []string{in.pick("v V"), in.motion(), in.visual()}
	default:
		return []string{"v" + in.object(), in.visual()}
	}
}

// operation returns an operator with a motion or an object.
func (in inventor) operation() string {
	insertion, operator := "", in.pick("d d c y > <lt> gu gU g~ y d")
	if operator == "c" {
		insertion = in.insertion()
	}
	switch {
	case in.IntN(2) == 0:
		return operator + in.object() + insertion
	case strings.HasPrefix(operator, "g"):
		return in.count() + operator + in.count() + in.pick("w e W l $ f( b j k G")
	}
	return in.count() + operator + in.motion() + insertion
}

// change returns a change of a single key.
func (in inventor) change() string {
	if in.IntN(3) == 0 {
		return in.pick("J gJ")
	}
	return in.count() + in.pick("x X D Y p P gp gP ~ rZ p P")
}

// afterwards returns a change that may be repeated or undone.
func (in inventor) afterwards(change string) []string {
	switch in.IntN(5) {
	case 0:
		return []string{change, in.pick("w j l b k gj gk"), "."}
	case 1:
		return []string{change, in.pick("u u<ctrl+r>")}
	}
	return []string{change}
}

func (in inventor) visual() string {
	return in.pick("d y x > <lt> u U ~ J rZ od Od Y D cX<esc> Sz<esc> gJ d y d dp")
}
