package trust

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"agent/internal/llm/phrase"
	"agent/internal/realpath"
)

const (
	// maxFile is the size limit of a configuration file of a repository, in bytes.
	maxFile = 256 << 10
	// maxNamed is the number of files of the repository that are shown to the user.
	maxNamed = 100
)

// ReadFile returns the content of a file below the directory root. A missing file is empty.
// The file must be regular, at most 256 KiB of UTF-8, and not reached by a symbolic link
// that leaves root.
func ReadFile(root, name string) (string, error) {
	b, err := readBelow(root, name, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("%s of this repository is not used: %w", name, err)
	case !utf8.Valid(b):
		return "", fmt.Errorf("%s of this repository is not used: it is not UTF-8 text", name)
	}
	return string(b), nil
}

func readBelow(root, name string, limit int64) ([]byte, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	info, err := dir.Stat(name) // a pipe could block its opening
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > limit:
		return nil, fmt.Errorf("it is larger than %d KiB", limit>>10)
	}
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("it is larger than %d KiB", limit>>10)
	}
	return b, err
}

// Programs describes the files of the repository root that the words of commands name,
// which run in dir: their content if it is short text, otherwise its hash. It belongs to
// the Content of an item, so that a changed script needs a new confirmation. Commands can
// reach other files, as with `make`: the question says so.
//
// Files are the absolute paths, without links, of what must not change while a program
// runs: the files, and the directories below root with links that lead to them.
func Programs(root, dir string, commands ...string) (text string, files []string) {
	return describeAll(root, dir, commands, nil)
}

// describeAll is Programs for the files that commands name, and for further paths.
func describeAll(root, dir string, commands, paths []string) (text string, files []string) {
	at, err := os.OpenRoot(root)
	if err != nil {
		return "", nil
	}
	defer at.Close()
	p := programs{root: at, tried: map[string]bool{}, rest: sha256.New()}
	for _, line := range commands {
		dirs := []string{dir, root}
		for word := range strings.FieldsFuncSeq(line, notInName) {
			for _, path := range pathsIn(word, dirs) {
				if isDir := p.add(path); isDir && len(dirs) < maxDirs {
					dirs = append(dirs, path) // cd DIR && ./program
				}
			}
		}
	}
	for _, path := range paths {
		p.add(path)
	}
	if p.more > 0 {
		fmt.Fprintf(&p.out, "\n--- and %s that are not shown (SHA-256 of all %x)\n", phrase.Count(p.more, "more file"), p.rest.Sum(nil))
	}
	return p.out.String(), p.files
}

const (
	maxDirs   = 10      // directories in which the programs of one command are searched
	maxSuffix = 16      // suffixes of a word that may be a path
	maxWord   = 4 << 10 // bytes of a word that may be a path
	maxTried  = 5000    // paths that are looked for
)

// pathsIn returns the paths that a word can mean: with what precedes each slash replaced by
// one of dirs too, because that may be a variable, as in $CLAUDE_PROJECT_DIR/check.sh.
func pathsIn(word string, dirs []string) (out []string) {
	if len(word) > maxWord {
		return nil
	}
	if filepath.IsAbs(word) {
		out = append(out, filepath.Clean(word))
	}
	for rest, more := word, true; more && len(out) < maxSuffix*len(dirs); _, rest, more = strings.Cut(rest, "/") {
		for _, dir := range dirs {
			out = append(out, filepath.Join(dir, rest))
		}
	}
	return out
}

// programs collects descriptions of files of a repository.
type programs struct {
	root  *os.Root
	tried map[string]bool // names of files
	count int             // files that are described
	more  int             // files that are described in rest only
	rest  hash.Hash
	full  bool
	out   strings.Builder
	files []string // see Programs
}

// add describes a file of the repository. It reports whether path is a directory in it.
func (p *programs) add(path string) (isDir bool) {
	name, err := filepath.Rel(p.root.Name(), path)
	if err != nil || p.full || p.tried[name] || !filepath.IsLocal(name) {
		return false
	}
	p.tried[name] = true
	text, isDir := p.describe(name)
	switch {
	case text == "" && len(p.tried) < maxTried:
	case text == "":
		p.full = true
		p.out.WriteString("\n--- and more files. They are not shown, and can change without a new confirmation\n")
	case p.count == maxNamed:
		p.more++
		p.addFile(name)
		fmt.Fprintf(p.rest, "\n--- %s (%d bytes)\n%s", filepath.ToSlash(name), len(text), text)
	default:
		p.count++
		p.addFile(name)
		fmt.Fprintf(&p.out, "\n--- %s (%d bytes)\n%s", filepath.ToSlash(name), len(text), text)
	}
	return isDir
}

// addFile adds the paths of a file to p.files. A link in the directory p.root itself is left
// out, because all of the repository would have to be read-only.
func (p *programs) addFile(name string) {
	root := realpath.Of(p.root.Name())
	steps := realpath.Steps(filepath.Join(root, name))
	for _, path := range steps[:len(steps)-1] { // each begins with a directory that contains the next link
		for dir := root; ; {
			rest, err := filepath.Rel(dir, path)
			if err != nil || rest == "." || !filepath.IsLocal(rest) {
				break
			}
			first, _, _ := strings.Cut(rest, string(filepath.Separator))
			next := filepath.Join(dir, first)
			if info, err := os.Lstat(next); err == nil && info.Mode()&fs.ModeSymlink != 0 {
				if dir != root {
					p.files = append(p.files, dir)
				}
				break
			}
			dir = next
		}
	}
	p.files = append(p.files, steps[len(steps)-1])
}

// notInName reports whether r separates the words of a shell command.
func notInName(r rune) bool { return strings.ContainsRune(" \t\r\n'\"`$(){}[];&|<>=,:", r) }

// describeLink is describe for a file that an absolute link, or one that leaves the repository,
// leads to. The content of a file outside the repository is left out.
func (p *programs) describeLink(name string) (text string, isDir bool) {
	real := realpath.Of(filepath.Join(p.root.Name(), name))
	info, err := os.Stat(real)
	if in, relErr := filepath.Rel(realpath.Of(p.root.Name()), real); relErr == nil && filepath.IsLocal(in) && in != name && err == nil {
		text, isDir = p.describe(in)
		if text != "" {
			text = fmt.Sprintf("(a link to %s)\n%s", in, text)
		}
		return text, isDir
	}
	if err == nil && info.Mode().IsRegular() {
		return fmt.Sprintf("(a link to %s)\n", real), false
	}
	return "", false
}

// describe returns the content of a file, or its hash if the content is long; empty if there
// is no such file.
func (p *programs) describe(name string) (text string, isDir bool) {
	const maxShown, maxHashed = 32 << 10, 64 << 20
	info, err := p.root.Stat(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		if text, isDir = p.describeLink(name); text != "" || isDir {
			return text, isDir
		}
	}
	if err != nil {
		if target, err := p.root.Readlink(name); err == nil {
			return fmt.Sprintf("(a link to %s)\n", target), false
		}
		return "", false
	}
	if !info.Mode().IsRegular() {
		return "", info.IsDir()
	}
	if info.Size() == 0 {
		return "(an empty file)\n", false
	}
	if info.Size() <= maxShown && p.out.Len() < maxFile {
		if b, err := readBelow(p.root.Name(), name, maxShown); err == nil && utf8.Valid(b) {
			return string(b), false
		}
	}
	f, err := p.root.Open(name)
	if err != nil {
		return fmt.Sprintf("(cannot be read: %v)\n", err), false
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, maxHashed)); err != nil {
		return fmt.Sprintf("(cannot be read: %v)\n", err), false
	}
	part := ""
	if info.Size() > maxHashed {
		part = fmt.Sprintf(" of the first %d MiB, changed %s", maxHashed>>20, info.ModTime().UTC().Format(time.RFC3339Nano))
	}
	return fmt.Sprintf("(%d bytes, SHA-256 %x%s)\n", info.Size(), h.Sum(nil), part), false
}
