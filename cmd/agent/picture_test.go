package main

import (
	"encoding/xml"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// TestPictures draws the README's animated picture from real screens, for dark and light pages.
// It runs if PICTURES is set (make pictures).
func TestPictures(t *testing.T) {
	t.Parallel()
	if os.Getenv("PICTURES") == "" {
		t.Skip("make pictures runs it")
	}
	for _, page := range []page{darkPage(), lightPage()} {
		t.Run(page.name, func(t *testing.T) {
			path := filepath.Join("..", "..", "testdata", "pictures", "undo-"+page.name+".svg")
			if err := os.WriteFile(path, []byte(undoFilm(t, page).svg(page)), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// undoFilm plays a command that deletes files, its dialog and /undo.
func undoFilm(t *testing.T, page page) *film {
	s := serve(t,
		call("search", `{"pattern":"shop/legacy"}`, "list", `{"path":"legacy"}`),
		answer{text: "Nothing imports `legacy` any more. I remove it.", calls: []string{"shell", `{"command":"rm -rf legacy"}`}},
		say("I removed `legacy/`: 3 files that nothing imported."))
	h := newHome(t, map[string]string{
		"go.mod":             "module shop\n\ngo 1.26\n",
		"main.go":            "package main\n\nimport \"shop/server\"\n\nfunc main() { server.Run(\":8080\") }\n",
		"server/server.go":   "package server\n\nimport \"net/http\"\n\n// Run serves the shop.\nfunc Run(addr string) error { return http.ListenAndServe(addr, nil) }\n",
		"legacy/cart.go":     "package legacy\n\n// Cart is the cart of the old shop.\ntype Cart struct{ Items []Item }\n",
		"legacy/item.go":     "package legacy\n\n// Item is an item in a Cart.\ntype Item struct {\n\tName  string\n\tCents int\n}\n",
		"legacy/prices.json": "{\"tea\": 450, \"coffee\": 690}\n",
	}, "COLORTERM=truecolor", "WORK_API_KEY="+testKey)
	h.configure(t, `{"model": "work/claude-sonnet-5", "providers": {"work": {"base_url": "`+s.URL+`/v1", "key": {"env": "WORK_API_KEY"}}}}`)
	a := h.open(t, 96, 24)
	a.mu.Lock() // the program queries it after the first screen
	a.em.SetBackgroundColor(ansi.HexColor(page.paper))
	a.mu.Unlock()
	a.wait("? help")

	f := &film{screen: a, page: page}
	f.types("is the legacy package still used? if not, remove it", "enter to send")
	a.send(enter)
	a.asked("rm -rf legacy")
	f.still = f.take(4)
	a.send("1")
	a.wait("that nothing imported", "this turn", "? help")
	f.take(3)
	f.types("/undo", "enter to run it")
	a.send(enter)
	a.wait("Undo only the files", "esc cancel")
	f.take(3.5)
	a.send("1")
	a.wait("restored")
	f.take(4)
	return f
}

// film is an animated picture: screens one after the other, forever.
type film struct {
	screen *terminal
	page   page
	frames []frame
	still  int // the frame that viewers without animation see
}

type frame struct {
	picture string
	seconds float64
}

// take adds the current screen, which is shown for that many seconds, and returns its number.
func (f *film) take(seconds float64) int {
	f.screen.mu.Lock()
	defer f.screen.mu.Unlock()
	f.frames = append(f.frames, frame{f.screen.picture(f.page), seconds})
	return len(f.frames) - 1
}

// types types text into the prompt, a few words at a time. The hint is what Enter does then.
func (f *film) types(text, hint string) {
	typed := ""
	words := strings.SplitAfter(text, " ")
	for i := 0; i < len(words); i += 3 {
		part := strings.Join(words[i:min(i+3, len(words))], "")
		typed += part
		f.screen.send(part)
		f.screen.wait("› "+strings.TrimSpace(typed), hint)
		f.take(0.6)
	}
}

// svg returns the film. Without animation, or if the viewer wants less motion, it is one frame.
func (f *film) svg(p page) string {
	total := 0.0
	for _, one := range f.frames {
		total += one.seconds
	}
	var b strings.Builder
	f.screen.head(&b, p)
	fmt.Fprintf(&b, "<style>\n.f{visibility:hidden;animation:%.1fs step-end infinite}\n.still{visibility:visible}\n", total)
	at := 0.0
	for i, one := range f.frames {
		begin, end := at/total*100, (at+one.seconds)/total*100
		hide := fmt.Sprintf("%.2f%%{visibility:hidden}", end)
		if i == len(f.frames)-1 {
			hide = ""
		}
		fmt.Fprintf(&b, "@keyframes k%d{0%%{visibility:hidden}%.2f%%{visibility:visible}%s}\n", i, begin, hide)
		at += one.seconds
	}
	b.WriteString("@media (prefers-reduced-motion:reduce){.f{animation:none!important}}\n</style>\n")
	for i, one := range f.frames {
		class := "f"
		if i == f.still {
			class = "f still"
		}
		fmt.Fprintf(&b, "<g class=\"%s\" style=\"animation-name:k%d\">\n%s</g>\n", class, i, one.picture)
	}
	b.WriteString("</svg>\n")
	return b.String()
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

// head begins an SVG of the size of the screen.
func (s *terminal) head(b *strings.Builder, p page) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14">`,
		float64(s.em.Width())*cellWidth+2*border, s.em.Height()*cellHeight+2*border)
	fmt.Fprintf(b, "\n<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"%s\"/>\n", p.paper)
}

// picture draws the screen with one text element per run of equal style. The caller holds the
// lock.
func (s *terminal) picture(p page) string {
	var b strings.Builder
	for y := range s.em.Height() {
		for x := 0; x < s.em.Width(); {
			x += s.run(&b, p, x, y)
		}
	}
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
	_ = xml.EscapeText(b, []byte(sameTimes(text.String())))
	b.WriteString("</text>\n")
	return max(n, 1)
}

var (
	turnTime = regexp.MustCompile(`\d\.\d s ·`)
	callTime = regexp.MustCompile(`\d\.\d s$`)
)

// sameTimes replaces measured times, so that a picture changes only if a screen does.
func sameTimes(text string) string {
	return callTime.ReplaceAllString(turnTime.ReplaceAllString(text, "1.4 s ·"), "0.1 s")
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
