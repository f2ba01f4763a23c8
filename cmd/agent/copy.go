package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
	"unicode/utf16"
)

// copyPatience is how long a program that takes text to the clipboard may take.
const copyPatience = 5 * time.Second

// copy puts text on the clipboard, by a program that is made for it, and
// returns the name of that.
func (c clipboard) copy(text string) (by string, err error) {
	args, err := c.writer()
	if err != nil {
		return "", err
	}
	if strings.HasSuffix(args[0], ".exe") || args[0] == "clip" {
		text = wide(text)
	}
	ctx, cancel := context.WithTimeout(context.Background(), copyPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stdin = strings.NewReader(text) // and no output: some stay to hand the text out
	cmd.Env = withoutKeys(cmd.Environ())
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("copy with %s: %w", args[0], err)
	}
	return args[0], nil
}

// writer returns the program that takes text to the clipboard, and its
// arguments.
func (c clipboard) writer() ([]string, error) {
	candidates := [][]string{}
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
		if has(args[0]) {
			return args, nil
		}
	}
	switch {
	case len(candidates) == 0:
		return nil, errors.New("there is no other clipboard here; in tmux,  set -g set-clipboard on  hands it on")
	default:
		return nil, fmt.Errorf("install %s", candidates[0][0])
	}
}

// wide writes text as Windows reads it from a pipe, whatever its code page is.
func wide(text string) string {
	b := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(text)) {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return string(b)
}
