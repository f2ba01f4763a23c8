package tui

import (
	"bytes"
	"context"
	"fmt"
	"image"
	_ "image/gif" // the formats that a clipboard has
	_ "image/jpeg"
	_ "image/png"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm"
)

// imageNameWidth is how much of a file's name a token shows.
const imageNameWidth = 32

// images is what is known of the paths of images in the editor.
type images struct {
	tried map[string]bool // words that were looked at
	reads int             // how many looks have not ended
	sends bool            // the prompt is sent once the last word was
	later bool            // or goes into the queue
}

// picturesRead are the images that were found.
type picturesRead struct {
	words []string // in the editor, whose place the images take
	found []piece
}

// clipboardRead is the image that the clipboard has.
type clipboardRead struct {
	image piece
	err   error
}

// imagePath reports whether a word may be the path of an image.
func imagePath(word string) bool {
	const longest = 4096
	if len(word) > longest || strings.Contains(word, "\n") {
		return false
	}
	name := filepath.Base(strings.ToLower(strings.TrimRight(strings.TrimSpace(word), `"'`)))
	ext := filepath.Ext(name)
	return name != ext && slices.Contains([]string{".png", ".jpg", ".jpeg", ".gif", ".webp"}, ext)
}

// lookAt returns the command that reads the images that words are paths of: the
// text as a whole, or else each word of it.
func (m *model) lookAt(text string) tea.Cmd {
	if m.o.Image == nil || !imagePath(text) || m.images.tried[text] {
		return nil
	}
	if m.images.tried == nil {
		m.images.tried = map[string]bool{}
	}
	m.images.tried[text] = true
	m.images.reads++
	read := m.o.Image
	return func() tea.Msg {
		if p, err := readImage(read, text); err == nil {
			return picturesRead{[]string{text}, []piece{p}}
		}
		return readImages(read, strings.Fields(text))
	}
}

// readImages reads those of words that are paths of images.
func readImages(read func(string) (llm.Image, string, error), words []string) (all picturesRead) {
	for _, w := range words {
		if !imagePath(w) {
			continue
		}
		if p, err := readImage(read, w); err == nil {
			all.words, all.found = append(all.words, w), append(all.found, p)
		}
	}
	return all
}

// readImage reads an image; a file that was named with @ goes by its path.
func readImage(read func(string) (llm.Image, string, error), word string) (piece, error) {
	path := word
	if named, ok := strings.CutPrefix(word, "@"); ok {
		path = strings.Trim(named, `"`)
	}
	img, what, err := read(path)
	if err != nil {
		return piece{}, err
	}
	name := filepath.Base(strings.Trim(strings.TrimSpace(path), `"'`))
	name = Truncate(SanitizeLine(name), imageNameWidth) + " " + SanitizeLine(what)
	return piece{name: strings.ReplaceAll(name, "]", ")"), image: &img}, nil // a label ends with the first bracket
}

// picturesCame puts images in the place of their paths.
func (m *model) picturesCame(msg picturesRead) tea.Cmd {
	for i, word := range msg.words {
		b := m.editor.buf
		if at := strings.LastIndex(b.String(), word); at >= 0 {
			b.Replace(at, at+len(word), m.editor.tokens.add(msg.found[i]))
		}
	}
	m.attached(len(msg.words))
	if m.images.reads--; m.images.reads == 0 && m.images.sends {
		m.images.sends = false
		if m.images.later {
			return m.later()
		}
		return m.submit()
	}
	return nil
}

// attached counts the images anew, and says so where the model sees none.
func (m *model) attached(n int) {
	m.editor.tokens.number(m.editor.buf)
	if n > 0 && m.o.Blind != nil && m.o.Blind(m.feed.model) {
		m.say(SanitizeLine(m.feed.model) + " cannot see images: it will be told only that there was one. /model changes the model.")
	}
}

// typedImage looks at the word that was typed last, once a blank follows it.
func (m *model) typedImage() tea.Cmd {
	before := m.editor.buf.Before()
	word := strings.TrimRight(before, " ")
	if word == before || m.editor.walk.back > 0 {
		return nil
	}
	return m.lookAt(lastWord(word))
}

// lastWord is the last word of a line; one in quotes is whole.
func lastWord(line string) string {
	if inner, ok := strings.CutSuffix(line, `"`); ok {
		if i := strings.LastIndexByte(inner, '"'); i >= 0 {
			return strings.TrimSpace(line[max(strings.LastIndexAny(line[:i], " \t")+1, 0):])
		}
	}
	return line[strings.LastIndexAny(line, " \t\n")+1:]
}

// attachClipboard puts the image of the clipboard in at the cursor.
func (m *model) attachClipboard() tea.Cmd {
	if m.o.ClipboardImage == nil {
		m.say("images cannot be taken from the clipboard here: type the path of an image file")
		return nil
	}
	read := m.o.ClipboardImage
	return func() tea.Msg {
		img, err := read(context.Background())
		if err != nil {
			return clipboardRead{err: err}
		}
		name := "clipboard"
		if c, _, err := image.DecodeConfig(bytes.NewReader(img.Data)); err == nil {
			name += fmt.Sprintf(" %dx%d", c.Width, c.Height)
		}
		return clipboardRead{image: piece{name: name, image: &img}}
	}
}

func (m *model) clipboardCame(msg clipboardRead) {
	if msg.err != nil {
		m.say(strings.TrimRight(msg.err.Error(), ".") + ".")
		return
	}
	m.editor.buf.Insert(m.editor.tokens.add(msg.image))
	m.attached(1)
}
