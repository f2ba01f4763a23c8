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

// imageNameWidth is the maximum width of a file name in an image token, in columns.
const imageNameWidth = 32

// Attacher replaces the typed paths of images with the images.
type Attacher struct {
	*screen.Window
	model  func() string     // returns the current model
	say    func(text string) // shows a notice
	editor *editor.Editor
	// ready sends or queues the prompt that waited for an image.
	ready func(queue bool) tea.Cmd

	tried map[string]bool // words for which a read was started
	reads int             // reads in progress
	send  bool            // send the prompt after the last read
	queue bool            // queue it instead
}

// imagesRead is the result of reading images.
type imagesRead struct {
	words  []string       // the paths as typed in the editor
	images []editor.Piece // of words
	failed []error        // of files that exist but cannot be read
}

// clipboardRead is the result of reading an image from the clipboard.
type clipboardRead struct {
	image editor.Piece
	err   error
	quiet bool // do not report an error
}

// imageExtensions are the extensions of files that are read as images. Reading reports
// an error for formats that models do not support.
var imageExtensions = []string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".heic", ".heif", ".avif", ".tif", ".tiff", ".jxl"}

// imagePath reports whether a word looks like the path of an image.
func imagePath(word string) bool {
	const longest = 4096
	if len(word) > longest || strings.Contains(word, "\n") {
		return false
	}
	name := filepath.Base(strings.ToLower(strings.TrimRight(strings.TrimSpace(word), `"'`)))
	ext := filepath.Ext(name)
	return name != ext && slices.Contains(imageExtensions, ext)
}

// readWord returns the command that reads the image at the path word, without
// punctuation around it; nil if it is no such path.
func (a *Attacher) readWord(word string) tea.Cmd {
	return a.readText(strings.TrimRight(strings.TrimLeft(word, "(`"), "`).,;:!?"))
}

// readPaste is like readWord for text that is pasted or dropped on the terminal: one
// path, which may contain blanks, or several paths and no other words.
func (a *Attacher) readPaste(text string) tea.Cmd {
	const longest = 16 << 10
	if len(text) > longest {
		return nil
	}
	return a.readText(text)
}

// readText returns the command that reads the image at the path text, or those of
// several paths.
func (a *Attacher) readText(text string) tea.Cmd {
	words := shellWords(text)
	allPaths := len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !imagePath(w) })
	if a.Options.Files.ReadImage == nil || !allPaths && !imagePath(text) || a.tried[text] {
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
				return imagesRead{words: []string{text}, images: []editor.Piece{p}}
			}
		}
		return readImages(read, words)
	}
}

// readImages reads the images among words.
func readImages(read func(string) (llm.Image, string, error), words []string) (r imagesRead) {
	for _, w := range words {
		if !imagePath(w) {
			continue
		}
		switch p, err := readImage(read, w); {
		case err == nil:
			r.words, r.images = append(r.words, w), append(r.images, p)
		case !errors.Is(err, fs.ErrNotExist): // not a path after all
			r.failed = append(r.failed, err)
		}
	}
	return r
}

// readImage reads an image from a path or an @mention.
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
	return editor.Piece{Name: strings.ReplaceAll(name, "]", ")"), Image: &img}, nil // the token ends at the first bracket
}

// apply replaces the paths in the editor with the images.
func (a *Attacher) apply(msg imagesRead) tea.Cmd {
	for i, word := range msg.words {
		a.editor.Attach(word, msg.images[i])
	}
	for _, err := range msg.failed {
		a.say("Cannot attach an image: " + ink.SanitizeLine(strings.TrimRight(err.Error(), ".")) + ".")
	}
	a.warnVision(len(msg.words))
	if a.reads--; a.reads == 0 && a.send {
		a.send = false
		return a.ready(a.queue)
	}
	return nil
}

// warnVision warns if n images are attached and the model does not support images.
func (a *Attacher) warnVision(n int) {
	if n > 0 && a.Options.Models.NoImages != nil && a.Options.Models.NoImages(a.model()) {
		a.say(ink.SanitizeLine(a.model()) + " does not support images and will get only a placeholder. Switch models with /model.")
	}
}

// typedImage returns the command that reads the image at the last typed path, if a
// blank follows it.
func (a *Attacher) typedImage() tea.Cmd {
	before := a.editor.Before()
	word := strings.TrimRight(before, " ")
	if word == before || a.editor.History.Navigating() {
		return nil
	}
	return a.readWord(lastWord(word))
}

// lastWord returns the last word of a line; empty if the line ends with a blank.
func lastWord(line string) string {
	words := shellWords(line)
	if len(words) == 0 || strings.TrimRight(line, " \t\n") != line {
		return ""
	}
	return words[len(words)-1]
}

// shellWords splits text at blanks that are neither quoted nor escaped, and keeps
// quotes and backslashes. With an unclosed quote it splits at every blank.
func shellWords(text string) []string {
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

// pasteClipboard inserts the image on the clipboard at the cursor. If quiet is set, it
// reports no error.
func (a *Attacher) pasteClipboard(quiet bool) tea.Cmd {
	if a.Options.Clipboard.ReadImage == nil {
		if quiet {
			return nil
		}
		a.say("Cannot read images from the clipboard here. Type the path of an image file instead.")
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

// takeClipboard inserts the image from the clipboard.
func (a *Attacher) takeClipboard(msg clipboardRead) {
	if msg.err != nil {
		if msg.quiet {
			return
		}
		a.say(strings.TrimRight(msg.err.Error(), ".") + ".")
		return
	}
	a.editor.Attach("", msg.image)
	a.warnVision(1)
}

// unread reports whether an image of the prompt is still to be read. The prompt is
// sent after that; cmd may be nil.
func (a *Attacher) unread() (cmd tea.Cmd, waits bool) {
	raw := strings.TrimRight(a.editor.Raw(), " \n")
	cmd = a.readWord(lastWord(raw[strings.LastIndexByte(raw, '\n')+1:]))
	a.send = a.reads > 0
	return cmd, a.send
}
