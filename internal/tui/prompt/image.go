package prompt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm"
	"agent/internal/tui/editor"
	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
)

// imageNameWidth is how much of a file's name a token shows.
const imageNameWidth = 32

// Attacher finds the images whose paths are typed, and puts them in their place.
type Attacher struct {
	*screen.Conversation
	editor *editor.Editor
	// ready continues with the prompt that waited for an image: it is sent, or
	// queued.
	ready func(queue bool) tea.Cmd

	tried map[string]bool // words that were looked at
	reads int             // how many looks have not ended
	sends bool            // the prompt is sent once the last word was
	later bool            // or goes into the queue
}

// picturesRead are the images that were found.
type picturesRead struct {
	words  []string // in the editor, whose place the images take
	found  []editor.Piece
	failed []error // why others that are there were not
}

// clipboardRead is the image that the clipboard has.
type clipboardRead struct {
	image editor.Piece
	err   error
	quiet bool // nobody asked for it
}

// imageEndings are those of files that are looked at. A model takes not all of
// them: of the others it is said why not.
var imageEndings = []string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".heic", ".heif", ".avif", ".tif", ".tiff", ".jxl"}

// imagePath reports whether a word may be the path of an image.
func imagePath(word string) bool {
	const longest = 4096
	if len(word) > longest || strings.Contains(word, "\n") {
		return false
	}
	name := filepath.Base(strings.ToLower(strings.TrimRight(strings.TrimSpace(word), `"'`)))
	ext := filepath.Ext(name)
	return name != ext && slices.Contains(imageEndings, ext)
}

// lookAt returns the command that reads the image that a word is the path of, or
// the last word of a sentence.
func (a *Attacher) lookAt(word string) tea.Cmd {
	return a.lookAtAll(strings.TrimRight(strings.TrimLeft(word, "(`"), "`).,;:!?"))
}

// lookAtPaste is lookAt for what is pasted, or dropped on the terminal: one path,
// which may have blanks in it, or nothing but paths.
func (a *Attacher) lookAtPaste(text string) tea.Cmd {
	const longest = 16 << 10
	if len(text) > longest {
		return nil
	}
	return a.lookAtAll(text)
}

func (a *Attacher) lookAtAll(text string) tea.Cmd {
	words := spelled(text)
	many := len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !imagePath(w) })
	if a.Options.Files.ReadImage == nil || !many && !imagePath(text) || a.tried[text] {
		return nil
	}
	if a.tried == nil {
		a.tried = map[string]bool{}
	}
	a.tried[text] = true
	a.reads++
	read := a.Options.Files.ReadImage
	return func() tea.Msg {
		if imagePath(text) {
			if p, err := readImage(read, text); err == nil {
				return picturesRead{words: []string{text}, found: []editor.Piece{p}}
			}
		}
		return readImages(read, words)
	}
}

// readImages reads those of words that are paths of images.
func readImages(read func(string) (llm.Image, string, error), words []string) (all picturesRead) {
	for _, w := range words {
		if !imagePath(w) {
			continue
		}
		switch p, err := readImage(read, w); {
		case err == nil:
			all.words, all.found = append(all.words, w), append(all.found, p)
		case !errors.Is(err, fs.ErrNotExist): // most words that look like a path are none
			all.failed = append(all.failed, err)
		}
	}
	return all
}

// readImage reads an image; a file that was named with @ goes by its path.
func readImage(read func(string) (llm.Image, string, error), word string) (editor.Piece, error) {
	path := word
	if named, ok := strings.CutPrefix(word, "@"); ok {
		path = strings.Trim(named, `"`)
	}
	img, what, err := read(path)
	if err != nil {
		return editor.Piece{}, err
	}
	name := filepath.Base(strings.Trim(strings.TrimSpace(path), `"'`))
	name = ink.Truncate(ink.SanitizeLine(name), imageNameWidth) + " " + ink.SanitizeLine(what)
	return editor.Piece{Name: strings.ReplaceAll(name, "]", ")"), Image: &img}, nil // a label ends with the first bracket
}

// take puts images in the place of their paths.
func (a *Attacher) take(msg picturesRead) tea.Cmd {
	for i, word := range msg.words {
		a.editor.Attach(word, msg.found[i])
	}
	for _, err := range msg.failed {
		a.Say("An image stays a path: " + ink.SanitizeLine(strings.TrimRight(err.Error(), ".")) + ".")
	}
	a.attached(len(msg.words))
	if a.reads--; a.reads == 0 && a.sends {
		a.sends = false
		return a.ready(a.later)
	}
	return nil
}

// attached says so where the model sees no images.
func (a *Attacher) attached(n int) {
	if n > 0 && a.Options.Models.Blind != nil && a.Options.Models.Blind(a.Feed.Model) {
		a.Say(ink.SanitizeLine(a.Feed.Model) + " cannot see images: it will be told only that there was one. /model changes the model.")
	}
}

// typedImage looks at the word that was typed last, once a blank follows it.
func (a *Attacher) typedImage() tea.Cmd {
	before := a.editor.Before()
	word := strings.TrimRight(before, " ")
	if word == before || a.editor.History.Walking() {
		return nil
	}
	return a.lookAt(lastWord(word))
}

// lastWord is the last word of a line.
func lastWord(line string) string {
	words := spelled(line)
	if len(words) == 0 || strings.TrimRight(line, " \t\n") != line {
		return ""
	}
	return words[len(words)-1]
}

// spelled are the words of a text as they stand there, in the way of a shell: a
// blank in quotes, or behind a backslash, is part of its word. A quote without a
// second one is an apostrophe.
func spelled(text string) []string {
	var words []string
	from, quote, escaped := -1, rune(0), false
	for i, r := range text {
		blank := quote == 0 && !escaped && unicode.IsSpace(r)
		switch {
		case blank && from >= 0:
			words, from = append(words, text[from:i]), -1
		case !blank && from < 0:
			from = i
		}
		switch {
		case escaped:
			escaped = false
		case r == '\\' && quote != '\'':
			escaped = true
		case quote == r:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote = r
		}
	}
	if quote != 0 {
		return strings.Fields(text)
	}
	if from >= 0 {
		words = append(words, text[from:])
	}
	return words
}

// pasteClipboard puts the image of the clipboard in at the cursor. quiet says
// nothing where there is none.
func (a *Attacher) pasteClipboard(quiet bool) tea.Cmd {
	if a.Options.Clipboard.ReadImage == nil {
		if quiet {
			return nil
		}
		a.Say("images cannot be taken from the clipboard here: type the path of an image file")
		return nil
	}
	read := a.Options.Clipboard.ReadImage
	return func() tea.Msg {
		img, err := read(context.Background())
		if err != nil {
			return clipboardRead{err: err, quiet: quiet}
		}
		name := "clipboard"
		if c, _, err := image.DecodeConfig(bytes.NewReader(img.Data)); err == nil {
			name += fmt.Sprintf(" %dx%d", c.Width, c.Height)
		}
		return clipboardRead{image: editor.Piece{Name: name, Image: &img}}
	}
}

func (a *Attacher) takeClipboard(msg clipboardRead) {
	if msg.err != nil {
		if msg.quiet {
			return
		}
		a.Say(strings.TrimRight(msg.err.Error(), ".") + ".")
		return
	}
	a.editor.Attach("", msg.image)
	a.attached(1)
}

// unread reports whether the prompt names what may be an image that was not read
// yet. It is sent once it was, which cmd sees to.
func (a *Attacher) unread() (cmd tea.Cmd, waits bool) {
	raw := strings.TrimRight(a.editor.Raw(), " \n")
	cmd = a.lookAt(lastWord(raw[strings.LastIndexByte(raw, '\n')+1:]))
	a.sends = a.reads > 0
	return cmd, a.sends
}
