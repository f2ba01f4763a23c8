package main

import (
	"encoding/xml"
	"fmt"
	"image/color"
	"os"
	"os/exec"
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
	look := call("search", `{"pattern":"timeout"}`, "read", `{"path":"server/server.go"}`, "read", `{"path":"main.go"}`)
	edit := answer{
		text: "The flag is parsed in `main.go`, but never reaches the server:\n\n1. `server.go` must set `ReadHeaderTimeout`\n2. `main.go` must pass `*timeout` to **New**",
		calls: []string{
			"edit", `{"path":"server/server.go","old":"\treturn &http.Server{Addr: addr, Handler: mux}\n","new":"\treturn &http.Server{\n\t\tAddr:              addr,\n\t\tHandler:           mux,\n\t\tReadHeaderTimeout: timeout,\n\t}\n"}`,
			"edit", `{"path":"main.go","old":"server.New(\":8080\", 0)","new":"server.New(\":8080\", *timeout)"}`,
		},
	}
	ask := func(a *terminal) {
		a.send("the server ignores --timeout, fix it" + enter)
		a.asked("Edit server/server.go?")
	}
	return []screenshot{
		{"turn", 100, 32, false, []answer{look, edit}, ask},
		{"done", 100, 39, true, []answer{look, edit,
			call("shell", `{"command":"go test ./..."}`),
			say("The server now uses the flag:\n\n```go\nsrv := server.New(\":8080\", *timeout) // was 0\n```\n\n| file | change |\n|---|---|\n| `server.go` | sets `ReadHeaderTimeout` |\n| `main.go` | passes `*timeout` |\n\n- [x] the tests pass\n- [ ] a limit for the body of a request, see [net/http](https://pkg.go.dev/net/http#Server)"),
		}, func(a *terminal) {
			ask(a)
			a.send("1")
			a.asked("Edit main.go?")
			a.send("1")
			a.asked("go test ./...")
			a.send("1")
			a.wait("the body of a request", "? help")
		}},
	}
}

// draw plays p and returns the picture of its last screen.
func (p screenshot) draw(t *testing.T, page page, cols, rows int) string {
	s := serve(t, p.answers...)
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	h := newHome(t, map[string]string{
		"go.mod":                "module shop\n\ngo 1.26\n",
		"main.go":               "package main\n\nimport (\n\t\"flag\"\n\t\"log\"\n\t\"time\"\n\n\t\"shop/server\"\n)\n\nvar timeout = flag.Duration(\"timeout\", 10*time.Second, \"time limit for a request's headers\")\n\nfunc main() {\n\tflag.Parse()\n\tsrv := server.New(\":8080\", 0)\n\tlog.Fatal(srv.ListenAndServe())\n}\n",
		"server/server.go":      "package server\n\nimport (\n\t\"net/http\"\n\t\"time\"\n)\n\n// New returns the shop's server.\nfunc New(addr string, timeout time.Duration) *http.Server {\n\tmux := http.NewServeMux()\n\treturn &http.Server{Addr: addr, Handler: mux}\n}\n",
		"server/server_test.go": "package server\n\nimport (\n\t\"testing\"\n\t\"time\"\n)\n\nfunc TestTimeout(t *testing.T) {\n\tif got := New(\"\", time.Second).ReadHeaderTimeout; got != time.Second {\n\t\tt.Errorf(\"got %v, want 1s\", got)\n\t}\n}\n",
	}, "COLORTERM=truecolor", "WORK_API_KEY="+testKey, "GOCACHE="+strings.TrimSpace(string(cache)))
	h.configure(t, `{"model": "work/claude-sonnet-5", "providers": {"work": {"base_url": "`+s.URL+`/v1", "key": {"env": "WORK_API_KEY"}}}}`)
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
