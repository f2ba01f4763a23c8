package read

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxOutput is how much of one output of a cell is shown, in bytes.
const maxOutput = 8000

// Cells is a notebook as lines of text.
type Cells struct {
	Text     string
	Count    int
	Language string // "" if the notebook does not say it
	Pictures []Placed
}

// Placed is an image among lines of text.
type Placed struct {
	Line    int    // the line that names it, from 1
	Content []byte // not looked at yet
}

// notebook is the format of Jupyter, version 4; version 3 has worksheets.
type notebook struct {
	Cells      []cell
	Worksheets []struct{ Cells []cell }
	Metadata   struct {
		Language struct{ Name string } `json:"language_info"`
		Kernel   struct{ Language string }
	}
}

type cell struct {
	Type    string `json:"cell_type"`
	Source  lines
	Input   lines // the source in version 3
	Count   *int  `json:"execution_count"`
	Outputs []output
}

type output struct {
	Type      string `json:"output_type"`
	Name      string // of a stream
	Text      lines
	Data      map[string]json.RawMessage
	Error     string `json:"ename"`
	Value     string `json:"evalue"`
	Traceback []string
}

// lines is text as notebooks hold it: a string, or a list of lines. Something
// else stays JSON.
type lines string

func (l *lines) UnmarshalJSON(b []byte) error {
	var list []string
	var one string
	switch {
	case json.Unmarshal(b, &list) == nil:
		*l = lines(strings.Join(list, ""))
	case json.Unmarshal(b, &one) == nil:
		*l = lines(one)
	default:
		*l = lines(b)
	}
	return nil
}

// CellsOf returns the cells of a notebook with their outputs. The error says
// why content is none.
func CellsOf(content []byte) (Cells, error) {
	var n notebook
	var odd *json.UnmarshalTypeError // one value that is not as it should be: the others are there
	if err := json.Unmarshal(content, &n); err != nil && !errors.As(err, &odd) {
		return Cells{}, err
	}
	if n.Cells == nil && n.Worksheets == nil {
		return Cells{}, errors.New("it has no cells")
	}
	for _, w := range n.Worksheets {
		n.Cells = append(n.Cells, w.Cells...)
	}
	w := cellWriter{escapes: regexp.MustCompile(`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\a\x1b]*(?:\a|\x1b\\)|[^\[\]])`)}
	for i, c := range n.Cells {
		w.cell(i+1, c)
	}
	return Cells{
		Text:     w.text.String(),
		Count:    len(n.Cells),
		Language: n.Metadata.Language.Name,
		Pictures: w.pictures,
	}, nil
}

type cellWriter struct {
	text     strings.Builder
	lines    int // in text
	pictures []Placed
	escapes  *regexp.Regexp // what colours an output in a terminal
}

func (w *cellWriter) cell(number int, c cell) {
	ran := ""
	if c.Count != nil {
		ran = fmt.Sprintf(" [%d]", *c.Count)
	}
	w.write(fmt.Sprintf("--- cell %d: %s%s ---", number, c.Type, ran))
	w.write(string(c.Source + c.Input))
	for _, o := range c.Outputs {
		w.output(o)
	}
}

func (w *cellWriter) output(o output) {
	what := o.Type
	if o.Name != "" {
		what = o.Name
	}
	w.write("--- output: " + what + " ---")
	switch {
	case o.Error != "":
		w.capped(o.Error + ": " + o.Value + "\n" + strings.Join(o.Traceback, "\n"))
	case o.Data == nil:
		w.capped(string(o.Text))
	default:
		w.data(o.Data)
	}
}

// data writes the forms of one output: its text, and what else there is by
// name.
func (w *cellWriter) data(forms map[string]json.RawMessage) {
	const plain = "text/plain"
	var text lines
	if json.Unmarshal(forms[plain], &text) == nil {
		w.capped(string(text))
	}
	for _, media := range slices.Sorted(maps.Keys(forms)) {
		var encoded lines
		switch {
		case media == plain:
		case formatOf(media) != nil && json.Unmarshal(forms[media], &encoded) == nil:
			b, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(string(encoded)), ""))
			w.write(fmt.Sprintf("(%s, %d bytes)", media, len(b)))
			if err == nil {
				w.pictures = append(w.pictures, Placed{w.lines, b})
			}
		default:
			w.write(fmt.Sprintf("(%s, %d bytes of JSON, not shown)", media, len(forms[media])))
		}
	}
}

// capped writes the beginning of an output without what only a terminal
// understands.
func (w *cellWriter) capped(text string) {
	text = w.escapes.ReplaceAllString(text, "")
	more := 0
	if len(text) > maxOutput {
		end := maxOutput
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text, more = text[:end], len(text)-end
	}
	w.write(text)
	if more > 0 {
		w.write(fmt.Sprintf("(%d bytes more of this output not shown)", more))
	}
}

// write adds whole lines.
func (w *cellWriter) write(text string) {
	if text == "" {
		return
	}
	text = strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n") + "\n"
	w.text.WriteString(text)
	w.lines += strings.Count(text, "\n")
}
