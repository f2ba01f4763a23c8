package desktop

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf16"
)

// copyLimit is the time limit of a program that copies text.
const copyLimit = 5 * time.Second

// Copy copies text to the clipboard and returns the name of the program that it ran.
func (c Clipboard) Copy(text string) (by string, err error) {
	args, err := c.writer()
	if err != nil {
		return "", err
	}
	if strings.HasSuffix(args[0], ".exe") || args[0] == "clip" {
		text = utf16LE(text)
	}
	ctx, cancel := context.WithTimeout(context.Background(), copyLimit)
	defer cancel()
	cmd, err := command(ctx, args)
	if err != nil {
		return "", fmt.Errorf("copy: %w", err)
	}
	cmd.Stdin = strings.NewReader(text) // output is not captured: some programs keep running to serve the text
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("copy with %s: %w", args[0], err)
	}
	return args[0], nil
}

// writer returns the program that copies to the clipboard, and its arguments.
func (c Clipboard) writer() ([]string, error) {
	var candidates [][]string
	switch c.system {
	case "darwin":
		candidates = append(candidates, []string{"pbcopy"})
	case "windows":
		candidates = append(candidates, []string{"clip"})
	default:
		if c.env("WAYLAND_DISPLAY") != "" {
			candidates = append(candidates, []string{"wl-copy"})
		}
		if c.env("DISPLAY") != "" {
			candidates = append(candidates, []string{"xclip", "-selection", "clipboard"}, []string{"xsel", "--clipboard", "--input"})
		}
		if c.env("WSL_DISTRO_NAME") != "" {
			candidates = append(candidates, []string{"clip.exe"})
		}
	}
	for _, args := range candidates {
		if installed(args[0]) {
			return args, nil
		}
	}
	if len(candidates) == 0 {
		return nil, errors.New("no clipboard program for this system. In tmux, use: set -g set-clipboard on")
	}
	return nil, fmt.Errorf("install %s", candidates[0][0])
}

// utf16LE encodes text as UTF-16 with a byte order mark, which Windows reads correctly
// with every code page.
func utf16LE(text string) string {
	b := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(text)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return string(b)
}
