package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"agent/internal/llm"
	picture "agent/internal/tools/read"
)

// maxImage is the largest image file that is looked at, in bytes.
const maxImage = 32 << 20

// pictures reads the images that the person sends with what they say.
type pictures struct {
	dir     string // that paths are relative to
	drawing sync.Mutex
}

// file reads an image file, and tells in a few words what it is. The path may
// be one that a terminal or a file manager has quoted.
func (p *pictures) file(path string) (llm.Image, string, error) {
	f, err := p.open(path)
	if err != nil {
		return llm.Image{}, "", err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxImage+1))
	if err != nil {
		return llm.Image{}, "", fmt.Errorf("read %s: %w", path, err)
	}
	img, what, err := p.draw(context.Background(), content)
	if err != nil {
		return llm.Image{}, "", fmt.Errorf("%s: %w", path, err)
	}
	return img, what, nil
}

// readImages returns the images in files, relative to where the program was
// started.
func readImages(files []string) ([]llm.Image, error) {
	p := &pictures{dir: "."}
	var out []llm.Image
	for _, file := range files {
		img, _, err := p.file(file)
		if err != nil {
			return nil, usage("--image: %w", err)
		}
		out = append(out, img)
	}
	return out, nil
}

// draw makes an image that every provider takes of the content of an image
// file. One at a time is made, as that takes much memory.
func (p *pictures) draw(ctx context.Context, content []byte) (llm.Image, string, error) {
	if len(content) > maxImage {
		return llm.Image{}, "", fmt.Errorf("it is larger than %d MiB: make it smaller", maxImage>>20)
	}
	p.drawing.Lock()
	defer p.drawing.Unlock()
	s, err := picture.Show(ctx, content)
	if err != nil {
		return llm.Image{}, "", err
	}
	return s.Image, fmt.Sprintf("%dx%d %s", s.Size.X, s.Size.Y, s.Format), nil
}

// open opens the regular file that path names in one of the ways in which a
// terminal writes a path.
func (p *pictures) open(path string) (*os.File, error) {
	if strings.ContainsAny(path, "\n\x00") || strings.TrimSpace(path) == "" {
		return nil, errors.New("that is no path of a file")
	}
	for _, name := range spellings(path) {
		name = p.absolute(name)
		info, err := os.Stat(name)
		if err != nil {
			continue
		}
		if !info.Mode().IsRegular() { // a pipe would be waited for
			return nil, fmt.Errorf("%s is no file", path)
		}
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("open image: %w", err)
		}
		return f, nil
	}
	return nil, noFile(path)
}

// noFile is a path at which nothing is.
type noFile string

func (f noFile) Error() string { return "there is no file " + string(f) }

// Is makes it what the system says of such.
func (f noFile) Is(target error) bool { return target == fs.ErrNotExist }

// spellings are the paths that a word may stand for: itself, then without the
// quotes, backslashes or URL that it may have come in when it was dropped on
// the terminal.
func spellings(word string) []string {
	trimmed := strings.TrimSpace(word)
	out := []string{word, trimmed, unquoted(trimmed)}
	if u, err := url.Parse(unquoted(trimmed)); err == nil && u.Scheme == "file" {
		path := u.Path
		if filepath.Separator != '/' { // "/C:/a.png"
			path = strings.TrimPrefix(path, "/")
		}
		out = append(out, filepath.FromSlash(path))
	}
	return out
}

// unquoted is what a shell makes of a word. A backslash is part of a path where
// such separates directories.
func unquoted(word string) string {
	var b strings.Builder
	quote, escaped := rune(0), false
	for _, r := range word {
		switch {
		case escaped:
			escaped = false
			b.WriteRune(r)
		case r == '\\' && quote != '\'' && filepath.Separator == '/':
			escaped = true
		case r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote = r
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// absolute is name from the root on, with ~ as the person's home.
func (p *pictures) absolute(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.dir, name)
}
