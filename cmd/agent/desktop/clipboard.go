package desktop

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"agent/internal/llm"
)

// pasteLimit is the time limit of a paste. Some programs create an image only when it
// is pasted.
const pasteLimit = 10 * time.Second

var errNoImage = errors.New("the clipboard contains no image")

// Clipboard reads images from the system clipboard and copies text to it, with the
// clipboard programs of the system.
type Clipboard struct {
	system string // as in runtime.GOOS
	env    func(string) string
	limit  int // maximum size of an image in bytes
}

// NewClipboard returns the clipboard of this system.
func NewClipboard() Clipboard { return Clipboard{runtime.GOOS, os.Getenv, maxImage} }

// Check returns why the clipboard cannot be used, as advice for the user: first for
// copying text, then for pasting images. Both are nil if it can. It starts no program.
func (c Clipboard) Check() (copying, pasting error) {
	_, copying = c.writer()
	switch {
	case c.system == "darwin", c.system == "windows":
	case c.env("WAYLAND_DISPLAY") != "" && installed("wl-paste"), c.env("DISPLAY") != "" && installed("xclip"), c.env("WSL_DISTRO_NAME") != "" && installed("powershell.exe"):
	case c.env("WAYLAND_DISPLAY") != "":
		pasting = errors.New("to paste images, install wl-clipboard, or type the path of an image file")
	case c.env("DISPLAY") != "":
		pasting = errors.New("to paste images, install xclip; or type the path of an image file")
	default:
		pasting = errors.New("no clipboard: neither WAYLAND_DISPLAY nor DISPLAY is set. Type the path of an image file")
	}
	return copying, pasting
}

// Image returns the bytes of the image in the clipboard.
func (c Clipboard) Image(ctx context.Context) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, pasteLimit)
	defer cancel()
	switch {
	case c.system == "darwin":
		return c.osascript(ctx)
	case c.system == "windows":
		return c.powershell(ctx, "powershell")
	case c.env("WAYLAND_DISPLAY") != "" && installed("wl-paste"):
		return c.paste(ctx, []string{"wl-paste", "--list-types"}, []string{"wl-paste", "--no-newline", "--type"})
	case c.env("DISPLAY") != "" && installed("xclip"):
		xclip := []string{"xclip", "-selection", "clipboard", "-out", "-target"}
		return c.paste(ctx, append(slices.Clone(xclip), "TARGETS"), xclip)
	case c.env("WSL_DISTRO_NAME") != "" && installed("powershell.exe"):
		return c.powershell(ctx, "powershell.exe")
	}
	_, err := c.Check()
	return nil, err
}

func installed(program string) bool {
	_, err := find(program)
	return err == nil
}

// paste runs the command list, which prints the types in the clipboard, and the
// command paste with one of them as its last argument.
func (c Clipboard) paste(ctx context.Context, list, paste []string) ([]byte, error) {
	types, err := c.output(ctx, list...)
	if err != nil {
		return nil, noImage(err)
	}
	held := strings.Fields(string(types))
	for _, media := range []string{"image/png", "image/jpeg", "image/webp", "image/gif", "image/bmp"} {
		if slices.Contains(held, media) {
			return c.output(ctx, append(slices.Clone(paste), media)...)
		}
	}
	if slices.Contains(held, fileList) {
		list, err := c.output(ctx, append(slices.Clone(paste), fileList)...)
		if err != nil {
			return nil, noImage(err)
		}
		return c.firstListedFile(string(list))
	}
	return nil, errNoImage
}

// fileList is the clipboard type of files copied in a file manager.
const fileList = "text/uri-list"

// firstListedFile returns the content of the first file in a list of URLs.
func (c Clipboard) firstListedFile(list string) ([]byte, error) {
	for line := range strings.Lines(list) {
		u, err := url.Parse(strings.TrimSpace(line))
		if err != nil || u.Scheme != "file" {
			continue
		}
		f, err := (&Images{}).open(u.Path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		content, err := io.ReadAll(io.LimitReader(f, int64(c.limit)+1))
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", u.Path, err)
		}
		return content, nil
	}
	return nil, errNoImage
}

// osascript reads the clipboard of macOS. Its output has the form
// «data PNGf89504E…».
func (c Clipboard) osascript(ctx context.Context) ([]byte, error) {
	out, err := c.output(ctx, "osascript", "-e", "get the clipboard as «class PNGf»")
	if err != nil {
		return nil, noImage(err)
	}
	_, written, ok := bytes.Cut(out, []byte("PNGf"))
	written, _, closed := bytes.Cut(written, []byte("»"))
	content, err := hex.DecodeString(string(written))
	if !ok || !closed || err != nil {
		return nil, errors.New("read the clipboard: osascript returned an unknown format")
	}
	return content, nil
}

// noImage maps a nonzero exit code to errNoImage: the programs fail if the clipboard
// is empty or contains something else.
func noImage(err error) error {
	if _, failed := errors.AsType[*exec.ExitError](err); failed {
		return errNoImage
	}
	return err
}

// powershell reads the clipboard of Windows. It transfers the image as base64,
// because pipes of PowerShell carry text.
func (c Clipboard) powershell(ctx context.Context, program string) ([]byte, error) {
	const script = `Add-Type -AssemblyName System.Windows.Forms,System.Drawing; ` +
		`$i = [Windows.Forms.Clipboard]::GetImage(); if ($i -ne $null) { $s = New-Object IO.MemoryStream; ` +
		`$i.Save($s, [Drawing.Imaging.ImageFormat]::Png); [Convert]::ToBase64String($s.ToArray()) }`
	out, err := c.output(ctx, program, "-NoProfile", "-NonInteractive", "-STA", "-Command", script)
	if err != nil {
		return nil, err
	}
	text := strings.TrimSpace(string(out))
	if text == "" {
		return nil, errNoImage
	}
	content, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("decode the clipboard image from %s: %w", program, err)
	}
	return content, nil
}

// output runs a program and returns its standard output, up to the size of an image.
func (c Clipboard) output(ctx context.Context, args ...string) ([]byte, error) {
	out := limitedBuffer{left: 3 * c.limit} // base64 and hexadecimal output is longer
	cmd, err := command(ctx, args)
	if err != nil {
		return nil, fmt.Errorf("read the clipboard: %w", err)
	}
	cmd.Stdout = &out
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("read the clipboard: %s timed out", args[0])
	case out.left < 0:
		return nil, fmt.Errorf("the clipboard image is larger than %d KiB", c.limit>>10)
	case err != nil:
		return nil, fmt.Errorf("read the clipboard with %s: %w", args[0], err)
	}
	return out.b.Bytes(), nil
}

// limitedBuffer is a buffer with a size limit.
type limitedBuffer struct {
	b    bytes.Buffer
	left int // remaining bytes; negative after an overflow
}

func (w *limitedBuffer) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errors.New("output too large")
	}
	return w.b.Write(p)
}

// Pasted returns the image in the clipboard.
func (p *Images) Pasted(ctx context.Context) (llm.Image, error) {
	content, err := NewClipboard().Image(ctx)
	if err != nil {
		return llm.Image{}, err
	}
	img, _, err := p.decode(ctx, content)
	return img, err
}
