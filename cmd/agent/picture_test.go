package main

import (
	"encoding/xml"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// TestPictures draws the README's pictures from real screens. It runs when
// PICTURES is set: make pictures.
func TestPictures(t *testing.T) {
	if os.Getenv("PICTURES") == "" {
		t.Skip("make pictures runs it")
	}
	s := serve(t,
		call("search", `{"pattern":"Timeout"}`, "read", `{"path":"server/server.go"}`, "read", `{"path":"main.go"}`),
		answer{
			text:  "The flag is parsed in `main.go`, but never reaches the server. It takes two lines:\n\n1. hand `timeout` on to **serve**\n2. set `ReadHeaderTimeout` there",
			calls: []string{"edit", `{"path":"server/server.go","old":"\tsrv := &http.Server{Addr: addr, Handler: mux}\n","new":"\tsrv := &http.Server{\n\t\tAddr:              addr,\n\t\tHandler:           mux,\n\t\tReadHeaderTimeout: timeout,\n\t}\n"}`},
		},
	)
	h := newHome(t, map[string]string{
		"main.go":          "package main\n\nimport (\n\t\"flag\"\n\t\"time\"\n\n\t\"shop/server\"\n)\n\nfunc main() {\n\ttimeout := flag.Duration(\"timeout\", 10*time.Second, \"of a request's headers\")\n\tflag.Parse()\n\t_ = timeout\n\tserver.Serve(\":8080\", 0)\n}\n",
		"server/server.go": "package server\n\nimport (\n\t\"net/http\"\n\t\"time\"\n)\n\n// Serve answers at addr. Timeout is ignored.\nfunc Serve(addr string, timeout time.Duration) error {\n\tmux := http.NewServeMux()\n\tsrv := &http.Server{Addr: addr, Handler: mux}\n\treturn srv.ListenAndServe()\n}\n",
	}, at(s)...)
	a := h.open(t, 100, 30)
	a.wait("? keys")
	a.send("the server ignores --timeout, fix it" + enter)
	a.asked("edit server/server.go")
	dir := filepath.Join("..", "..", "testdata", "pictures")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "turn.svg"), []byte(a.svg()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The measures of a cell, in pixels.
const (
	cellWidth  = 8.4
	cellHeight = 18
	border     = 14
)

// svg draws the screen as a picture, a text element a run of cells that look
// alike.
func (s *terminal) svg() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, h := s.em.Width(), s.em.Height()
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14">`,
		float64(w)*cellWidth+2*border, h*cellHeight+2*border)
	fmt.Fprintf(&b, "\n<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"#16181d\"/>\n")
	for y := range h {
		for x := 0; x < w; {
			x += s.run(&b, x, y)
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// run draws the cells from x on that look alike, and returns how many.
func (s *terminal) run(b *strings.Builder, x, y int) int {
	first := s.em.CellAt(x, y)
	n := 0
	var text strings.Builder
	for x+n < s.em.Width() {
		c := s.em.CellAt(x+n, y)
		if c == nil || first == nil || !c.Style.Equal(&first.Style) {
			break
		}
		text.WriteString(c.Content)
		n += max(c.Width, 1)
	}
	left, top := border+float64(x)*cellWidth, border+y*cellHeight
	if first != nil && first.Style.Bg != nil {
		fmt.Fprintf(b, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n", left, top, float64(n)*cellWidth, cellHeight, hex(first.Style.Bg, ""))
	}
	if strings.TrimSpace(text.String()) == "" {
		return max(n, 1)
	}
	look := ""
	if first.Style.Attrs&bold != 0 {
		look += ` font-weight="bold"`
	}
	if first.Style.Attrs&faint != 0 {
		look += ` opacity="0.6"`
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%d" textLength="%.1f" xml:space="preserve" fill="%s"%s>`, left, top+cellHeight-5, float64(n)*cellWidth, hex(first.Style.Fg, "#d6d8de"), look)
	_ = xml.EscapeText(b, []byte(text.String()))
	b.WriteString("</text>\n")
	return max(n, 1)
}

// The attributes of a cell that a picture shows.
const (
	bold  = 1 << 0
	faint = 1 << 1
)

// hex writes c as a picture does; the sixteen colours are those of a calm theme.
func hex(c color.Color, none string) string {
	if c == nil {
		return none
	}
	theme := []string{"#16181d", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d6d8de"}
	if n, ok := c.(ansi.BasicColor); ok {
		return theme[int(n)%len(theme)]
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
