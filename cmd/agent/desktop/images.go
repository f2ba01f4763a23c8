package desktop

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

// maxImage is the size limit of an image file, in bytes.
const maxImage = 32 << 20

// Images reads the images of a prompt. It is safe for concurrent use.
type Images struct {
	Dir string // base of relative paths

	decoding sync.Mutex // one at a time, because decoding needs much memory
}

// File reads an image file and returns the image and its description: "640x480 PNG".
// The path can be quoted or escaped, as terminals and file managers do.
func (p *Images) File(path string) (llm.Image, string, error) {
	f, err := p.open(path)
	if err != nil {
		return llm.Image{}, "", err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxImage+1))
	if err != nil {
		return llm.Image{}, "", fmt.Errorf("read %s: %w", path, err)
	}
	img, what, err := p.decode(context.Background(), content)
	if err != nil {
		return llm.Image{}, "", fmt.Errorf("%s: %w", path, err)
	}
	return img, what, nil
}

// Content returns the image in the content of an image file.
func (p *Images) Content(ctx context.Context, content []byte) (llm.Image, error) {
	img, _, err := p.decode(ctx, content)
	return img, err
}

// decode converts the content of an image file to a format that every provider
// accepts.
func (p *Images) decode(ctx context.Context, content []byte) (llm.Image, string, error) {
	if len(content) > maxImage {
		return llm.Image{}, "", fmt.Errorf("the image is larger than %d MiB. Use a smaller one", maxImage>>20)
	}
	p.decoding.Lock()
	defer p.decoding.Unlock()
	s, err := picture.Show(ctx, content)
	if err != nil {
		return llm.Image{}, "", err
	}
	return s.Image, fmt.Sprintf("%dx%d %s", s.Size.X, s.Size.Y, s.Format), nil
}

// open opens the first of candidatePaths that exists. It must be a regular file.
func (p *Images) open(path string) (*os.File, error) {
	if strings.ContainsAny(path, "\n\x00") || strings.TrimSpace(path) == "" {
		return nil, errors.New("not a file path")
	}
	for _, name := range candidatePaths(path) {
		name = p.absolute(name)
		info, err := os.Stat(name)
		if err != nil {
			continue
		}
		if !info.Mode().IsRegular() { // a pipe can block
			return nil, fmt.Errorf("%s is not a regular file", path)
		}
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("open image: %w", err)
		}
		return f, nil
	}
	return nil, notFoundError(path)
}

// notFoundError is the error for a path that does not exist. It is fs.ErrNotExist.
type notFoundError string

func (f notFoundError) Error() string { return "file not found: " + string(f) }

// Is implements errors.Is.
func (f notFoundError) Is(target error) bool { return target == fs.ErrNotExist }

// candidatePaths returns the paths that word can mean: word itself, and word without
// the quotes, backslashes or file URL of a file dropped on the terminal.
func candidatePaths(word string) []string {
	trimmed := strings.TrimSpace(word)
	out := []string{word, trimmed, unquote(trimmed)}
	if u, err := url.Parse(unquote(trimmed)); err == nil && u.Scheme == "file" {
		path := u.Path
		if filepath.Separator != '/' { // "/C:/a.png"
			path = strings.TrimPrefix(path, "/")
		}
		out = append(out, filepath.FromSlash(path))
	}
	return out
}

// unquote removes quotes and backslashes as a shell does. It keeps backslashes where
// they separate directories.
func unquote(word string) string {
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

// absolute returns the absolute path of name and expands ~/.
func (p *Images) absolute(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.Dir, name)
}
