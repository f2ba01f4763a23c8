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

	"agent/cmd/agent/settings"
)

// TestPictures draws the README's pictures from real screens, for dark and light
// pages. It runs if PICTURES is set (make pictures). If PICTURES is a directory, it
// draws there at several sizes for review.
func TestPictures(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("PICTURES")
	if dir == "" {
		t.Skip("make pictures runs it")
	}
	sizes := [][2]int{{0, 0}}
	if dir == "1" {
		dir = filepath.Join("..", "..", "testdata", "pictures")
	} else {
		sizes = [][2]int{{40, 12}, {80, 24}, {120, 40}}
	}
	for _, p := range readmePictures() {
		for _, page := range []page{darkPage(), lightPage()} {
			for _, size := range sizes {
				name := p.name + "-" + page.name
				cols, rows := p.cols, p.rows
				if size[0] > 0 {
					cols, rows = size[0], size[1]
					name += fmt.Sprintf("-%dx%d", cols, rows)
				}
				t.Run(name, func(t *testing.T) {
					if err := os.WriteFile(filepath.Join(dir, name+".svg"), []byte(p.draw(t, page, cols, rows)), 0o644); err != nil {
						t.Fatal(err)
					}
				})
			}
		}
	}
}

// screenshot is a screen in the README.
type screenshot struct {
	name       string
	cols, rows int
	themed     bool // drawn with the theme that is named as the page, else with the terminal's colors
	answers    []answer
	play       func(*terminal)
}

func readmePictures() []screenshot {
	look := call("search", `{"pattern":"Timeout"}`, "read", `{"path":"server/server.go"}`, "read", `{"path":"main.go"}`)
	edit := answer{
		text:  "The flag is parsed in `main.go`, but never reaches the server. It takes two lines:\n\n1. hand `timeout` on to **serve**\n2. set `ReadHeaderTimeout` there",
		calls: []string{"edit", `{"path":"server/server.go","old":"\tsrv := &http.Server{Addr: addr, Handler: mux}\n","new":"\tsrv := &http.Server{\n\t\tAddr:              addr,\n\t\tHandler:           mux,\n\t\tReadHeaderTimeout: timeout,\n\t}\n"}`},
	}
	ask := func(a *terminal) {
		a.send("the server ignores --timeout, fix it" + enter)
		a.asked("Edit server/server.go?")
	}
	return []screenshot{
		{"turn", 100, 30, false, []answer{look, edit}, ask},
		{"done", 100, 36, true, []answer{look, edit,
			call("shell", `{"command":"cat server/server.go | grep -n Timeout; false"}`),
			say("`ReadHeaderTimeout` is set now, but `main.go` still passes 0:\n\n```go\nserver.Serve(\":8080\", *timeout) // was 0\n```\n\n| file | to do |\n|---|---|\n| `main.go` | pass `*timeout` |\n| `server.go` | nothing |\n\n- [x] the server takes it\n- [ ] the flag reaches it, see [net/http](https://pkg.go.dev/net/http#Server)"),
		}, func(a *terminal) {
			ask(a)
			a.send("1")
			a.asked("Timeout; false")
			a.send("1")
			a.wait("reaches it", "? help")
		}},
	}
}

// draw plays p and returns the picture of its last screen.
func (p screenshot) draw(t *testing.T, page page, cols, rows int) string {
	s := serve(t, p.answers...)
	env := append(at(s), "COLORTERM=truecolor")
	h := newHome(t, map[string]string{
		"main.go":          "package main\n\nimport (\n\t\"flag\"\n\t\"time\"\n\n\t\"shop/server\"\n)\n\nfunc main() {\n\ttimeout := flag.Duration(\"timeout\", 10*time.Second, \"of a request's headers\")\n\tflag.Parse()\n\t_ = timeout\n\tserver.Serve(\":8080\", 0)\n}\n",
		"server/server.go": "package server\n\nimport (\n\t\"net/http\"\n\t\"time\"\n)\n\n// Serve answers at addr. Timeout is ignored.\nfunc Serve(addr string, timeout time.Duration) error {\n\tmux := http.NewServeMux()\n\tsrv := &http.Server{Addr: addr, Handler: mux}\n\treturn srv.ListenAndServe()\n}\n",
	}, env...)
	if p.themed {
		if err := settings.Set(h.config(), "theme", page.name); err != nil {
			t.Fatal(err)
		}
	}
	a := h.open(t, cols, rows)
	a.mu.Lock() // the program queries it after the first screen
	a.em.SetBackgroundColor(ansi.HexColor(page.paper))
	a.mu.Unlock()
	a.wait("? help")
	p.play(a)
	return a.svg(page)
}

// page is the background of a picture.
type page struct {
	name       string
	paper, ink string
	sixteen    []string // the terminal's own colors
	faint      string   // opacity of dim text
}

func darkPage() page {
	return page{"dark", "#16181d", "#d6d8de",
		[]string{"#16181d", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d6d8de"}, "0.6"}
}

func lightPage() page {
	return page{"light", "#ffffff", "#24292f",
		[]string{"#24292f", "#b3212d", "#1a6b2c", "#7a5200", "#1d4fae", "#7d3a9a", "#05626f", "#ffffff"}, "0.65"}
}

// The measures of a cell, in pixels.
const (
	cellWidth  = 8.4
	cellHeight = 18
	border     = 14
)

// svg draws the screen as an SVG with one text element per run of equal style.
func (s *terminal) svg(p page) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, h := s.em.Width(), s.em.Height()
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14">`,
		float64(w)*cellWidth+2*border, h*cellHeight+2*border)
	fmt.Fprintf(&b, "\n<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"%s\"/>\n", p.paper)
	for y := range h {
		for x := 0; x < w; {
			x += s.run(&b, p, x, y)
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// run draws the run of equal style at x and returns its length in cells.
func (s *terminal) run(b *strings.Builder, p page, x, y int) int {
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
		fmt.Fprintf(b, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n", left, top, float64(n)*cellWidth, cellHeight, p.hex(first.Style.Bg))
	}
	if strings.TrimSpace(text.String()) == "" {
		return max(n, 1)
	}
	look := ""
	if first.Style.Attrs&bold != 0 {
		look += ` font-weight="bold"`
	}
	if first.Style.Attrs&faint != 0 {
		look += ` opacity="` + p.faint + `"`
	}
	if first.Style.Attrs&italic != 0 {
		look += ` font-style="italic"`
	}
	if first.Style.Underline != 0 {
		look += ` text-decoration="underline"`
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%d" textLength="%.1f" xml:space="preserve" fill="%s"%s>`, left, top+cellHeight-5, float64(n)*cellWidth, p.hex(first.Style.Fg), look)
	_ = xml.EscapeText(b, []byte(text.String()))
	b.WriteString("</text>\n")
	return max(n, 1)
}

// The attributes of a cell that a picture shows.
const (
	bold   = 1 << 0
	faint  = 1 << 1
	italic = 1 << 2
)

// hex returns c in hexadecimal, or the default color if c is nil.
func (p page) hex(c color.Color) string {
	if c == nil {
		return p.ink
	}
	if n, ok := c.(ansi.BasicColor); ok {
		return p.sixteen[int(n)%len(p.sixteen)]
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
