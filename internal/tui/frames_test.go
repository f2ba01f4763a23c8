package tui

import (
	"bytes"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/google/go-cmp/cmp"

	"agent/internal/tui/terminal"
)

// frames draws consecutive views on a terminal emulator.
type frames struct {
	t      *testing.T
	d      *driver
	canvas terminal.Canvas
	em     *vt.Emulator
}

func newFrames(t *testing.T, d *driver) *frames {
	return &frames{t: t, d: d, em: vt.NewEmulator(1, 1)}
}

// draw draws v over the last view and checks that the emulator shows it.
func (f *frames) draw(v tea.View) {
	f.t.Helper()
	w, h := f.d.m.Width, f.d.m.Height
	if w <= 0 || h <= 0 {
		return
	}
	if f.em.Width() != w || f.em.Height() != h {
		f.em.Resize(w, h)
		f.canvas.Forget()
	}
	var b bytes.Buffer
	b.WriteString(ansi.ResetModeAutoWrap)
	content := strings.ReplaceAll(v.Content, "\u0301", "") // the emulator replaces the letter with the accent
	f.canvas.Paint(&b, content, h)
	_, _ = f.em.Write(b.Bytes())
	if diff := cmp.Diff(rows(f.em.String(), h), rows(ansi.Strip(content), h)); diff != "" {
		f.t.Fatalf("the terminal does not show the screen (-got +want):\n%s", diff)
	}
}

// rows splits a screen into lines without trailing spaces, padded to height.
func rows(screen string, height int) []string {
	lines := strings.Split(screen, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	for len(lines) < height {
		lines = append(lines, "")
	}
	return lines
}
