package main

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"
)

// square returns a one-color PNG with the given side.
func square(t *testing.T, side int) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, side, side))
	for i := range img.Pix {
		img.Pix[i] = 0xc0
	}
	img.Set(0, 0, color.White)
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestRunWithImages sends the images of a prompt in both dialects and saves them in
// the session.
func TestRunWithImages(t *testing.T) {
	t.Parallel()
	for _, dialect := range []string{"openai", "anthropic"} {
		t.Run(dialect, func(t *testing.T) {
			s := serve(t, say("A grey square."), say("The same."))
			h := newHome(t, map[string]string{"a.png": string(square(t, 8)), "b.txt": "text"}, at(s)...)
			if dialect == "anthropic" {
				h.env = append(h.env, "ANTHROPIC_BASE_URL="+s.URL, "ANTHROPIC_API_KEY="+testKey)
			}
			run := func(args ...string) (string, int) {
				if dialect == "anthropic" {
					args = append(args, "--model", "anthropic/claude-sonnet-4-5")
				}
				return h.agent(t, append([]string{"run"}, args...)...)
			}
			if out, code := run("--image", "a.png", "--image", "a.png", "what is it?"); code != 0 || !strings.Contains(out, "grey square") {
				t.Fatalf("got %d, %s", code, out)
			}
			if out, code := run("--continue", "and now?"); code != 0 {
				t.Fatalf("got %d, %s", code, out)
			}
			sent := base64.StdEncoding.EncodeToString(square(t, 8))
			for i, req := range s.seen() {
				if got := strings.Count(req.body, sent); got != 2 {
					t.Errorf("request %d has the image %d times, want 2", i, got)
				}
			}
			if out, code := run("--image", "b.txt", "what is it?"); code != 2 || !strings.Contains(out, "supported image formats") {
				t.Errorf("got %d, %s", code, out)
			}
			out, _ := h.agent(t, "sessions", "export", "--format", "html", h.ids(t)[0])
			if !strings.Contains(strings.ReplaceAll(out, "&#43;", "+"), sent) {
				t.Errorf("the exported session does not show the image")
			}
		})
	}
}
