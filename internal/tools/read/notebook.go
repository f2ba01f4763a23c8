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

	"agent/internal/llm/marker"
)

// maxOutput is how many bytes of one cell output are shown.
const maxOutput = 8000

// Cells is a notebook as text.
type Cells struct {
	Text     string
	Count    int
	Language string // "" if unknown
	Pictures []Placed
}

// Placed is an image in a text.
type Placed struct {
	Line    int    // its line, from 1
	Content []byte // not decoded yet
}

// notebook is the Jupyter format, version 4; version 3 has worksheets.
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
	Name      string // name of a stream
	Text      lines
	Data      map[string]json.RawMessage
	Error     string `json:"ename"`
	Value     string `json:"evalue"`
	Traceback []string
}

// lines is text in a notebook: a string or a list of lines. Other values are kept
// as JSON.
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

// CellsOf parses a notebook.
func CellsOf(content []byte) (Cells, error) {
	var n notebook
	var odd *json.UnmarshalTypeError // tolerate single values of a wrong type
	if err := json.Unmarshal(content, &n); err != nil && !errors.As(err, &odd) {
		return Cells{}, err
	}
	if n.Cells == nil && n.Worksheets == nil {
		return Cells{}, errors.New("the notebook has no cells")
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
	lines    int // lines in text
	pictures []Placed
	escapes  *regexp.Regexp // terminal escape sequences
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
		w.writeTruncated(o.Error + ": " + o.Value + "\n" + strings.Join(o.Traceback, "\n"))
	case o.Data == nil:
		w.writeTruncated(string(o.Text))
	default:
		w.data(o.Data)
	}
}

// data writes the plain text of an output, and the names of its other formats.
func (w *cellWriter) data(forms map[string]json.RawMessage) {
	const plain = "text/plain"
	var text lines
	if json.Unmarshal(forms[plain], &text) == nil {
		w.writeTruncated(string(text))
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

// writeTruncated writes the beginning of an output without terminal escape
// sequences.
func (w *cellWriter) writeTruncated(text string) {
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
		w.write(marker.Note("%d bytes more of this output", more))
	}
}

// write adds complete lines.
func (w *cellWriter) write(text string) {
	if text == "" {
		return
	}
	text = strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n") + "\n"
	w.text.WriteString(text)
	w.lines += strings.Count(text, "\n")
}
