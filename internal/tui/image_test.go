package tui

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/screen"
)

// readPicture returns an image for any path, except those that contain "missing" or end
// in .heic.
func readPicture(path string) (llm.Image, string, error) {
	if strings.Contains(path, "missing") {
		return llm.Image{}, "", fs.ErrNotExist
	}
	if strings.HasSuffix(path, ".heic") {
		return llm.Image{}, "", errors.New(path + ": unsupported image format")
	}
	return llm.Image{MediaType: "image/png", Data: []byte(path)}, "1200x800 PNG", nil
}

func shot(path string) llm.Image { return llm.Image{MediaType: "image/png", Data: []byte(path)} }

func TestImages(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(d *driver)
		want string
		sent []event.Command
	}{
		{"pasted path", func(d *driver) { d.typeText("see "); d.send(tea.PasteMsg{Content: "/tmp/shot.png\n"}) }, "see [image 1: shot.png 1200x800 PNG]\n", nil},
		{"typed path", func(d *driver) { d.typeText("see b/shot.PNG now") }, "see [image 1: shot.PNG 1200x800 PNG] now", nil},
		{"suggested path", func(d *driver) { d.typeText("see @sho"); d.press("tab") }, "see [image 1: shot.png 1200x800 PNG] ", nil},
		{"no such file", func(d *driver) { d.typeText("see missing.png now") }, "see missing.png now", nil},
		{"not a path", func(d *driver) { d.typeText("see .png now") }, "see .png now", nil},
		{"two at once", func(d *driver) { d.send(tea.PasteMsg{Content: "a.png missing.png b.png"}) }, "[image 1: a.png 1200x800 PNG] missing.png [image 2: b.png 1200x800 PNG]", nil},
		{"dropped together", func(d *driver) { d.send(tea.PasteMsg{Content: "'/a b/c.png' /d\\ e/f.jpg missing.png \"g h.gif\" "}) },
			"[image 1: c.png 1200x800 PNG] [image 2: f.jpg 1200x800 PNG] missing.png [image 3: g h.gif 1200x800 PNG] ", nil},
		{"copied in a file manager", func(d *driver) { d.send(tea.PasteMsg{Content: "file:///a%20b.png\r\nfile:///c.png\r\n"}) },
			"[image 1: a%20b.png 1200x800 PNG]\n[image 2: c.png 1200x800 PNG]\n", nil},
		{"among other words", func(d *driver) { d.typeText("isn't (a.png, `b.png`) better? ") }, "isn't ([image 1: a.png 1200x800 PNG], `[image 2: b.png 1200x800 PNG]`) better? ", nil},
		{"a backslash before a space", func(d *driver) { d.typeText(`see my\ shot.png now`) }, `see [image 1: my\ shot.png 1200x800 PNG] now`, nil},
		{"among pasted lines", func(d *driver) { d.send(tea.PasteMsg{Content: "wrote a.png\nand more"}) }, "wrote a.png\nand more", nil},
		{"empty paste", func(d *driver) { d.typeText("see "); d.send(tea.PasteMsg{}) }, "see [image 1: clipboard]", nil},
		{"clipboard", func(d *driver) { d.typeText("see "); d.press("ctrl+v") }, "see [image 1: clipboard]", nil},
		{"erased, the next takes its number", func(d *driver) { d.typeText("a.png b.png "); d.press("home", "delete") }, " [image 1: b.png 1200x800 PNG] ", nil},
		{"sent", func(d *driver) { d.typeText("a.png and b.png "); d.press("enter") }, "", []event.Command{event.Prompt{
			Text: "[image 1: a.png 1200x800 PNG] and [image 2: b.png 1200x800 PNG]", Images: []llm.Image{shot("a.png"), shot("b.png")}}}},
		{"sent with its path typed last", func(d *driver) { d.typeText("see a.png"); d.press("enter") }, "", []event.Command{event.Prompt{
			Text: "see [image 1: a.png 1200x800 PNG]", Images: []llm.Image{shot("a.png")}}}},
		{"put back twice", func(d *driver) { d.typeText("a.png "); d.press("backspace", "ctrl+w", "ctrl+y", "ctrl+y", "enter") }, "", []event.Command{event.Prompt{
			Text: "[image 1: a.png 1200x800 PNG][image 1: a.png 1200x800 PNG]", Images: []llm.Image{shot("a.png")}}}},
		{"from the prompt history", func(d *driver) {
			d.typeText("see a.png ")
			d.press("enter")
			d.events(userSaid("see [image 1: a.png 1200x800 PNG]"), turnEnd(event.Done, 0))
			d.sent = nil
			d.press("up", "enter")
		}, "", []event.Command{event.Prompt{Text: "see [image 1: a.png 1200x800 PNG]", Images: []llm.Image{shot("a.png")}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDriver(t, 80, 24, screen.Options{Files: screen.Files{Find: findFiles, ReadImage: readPicture}, Clipboard: screen.Clipboard{ReadImage: func(context.Context) (llm.Image, error) { return shot("clip"), nil }}})
			c.do(d)
			d.promptIs(c.want)
			d.wantCommands(c.sent...)
			d.hides("cannot see")
		})
	}
}

func TestImageErrors(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{
		Files:  screen.Files{ReadImage: readPicture},
		Models: screen.Models{NoImages: func(string) bool { return true }},
		Clipboard: screen.Clipboard{ReadImage: func(context.Context) (llm.Image, error) {
			return llm.Image{}, errors.New("the clipboard holds no image")
		}},
	})
	d.send(tea.PasteMsg{})
	d.hides("holds no image")
	d.press("ctrl+v")
	d.shows("the clipboard holds no image.")
	d.typeText("see photo.heic ")
	d.shows("Cannot attach an image: photo.heic: unsupported image format.")
	d.press("ctrl+c")
	d.send(tea.PasteMsg{Content: "a.png"})
	d.shows("anthropic/claude-sonnet does not support images")
}

// A prompt that is sent while its image is loading is sent once the image is loaded.
func TestPromptWaitsForItsImage(t *testing.T) {
	for key, queued := range map[string]bool{"enter": false, "alt+enter": true} {
		d := newDriver(t, 80, 24, screen.Options{Files: screen.Files{ReadImage: readPicture}})
		if queued {
			d.events(userSaid("go"))
		}
		d.typeText("a.png")
		_, load := d.m.Update(tea.KeyPressMsg{Code: tea.KeySpace, Text: " "})
		d.press(key)
		d.wantCommands()
		d.runCmd(load)
		if queued {
			d.events(turnEnd(event.Done, 0))
		}
		d.wantCommands(event.Prompt{Text: "[image 1: a.png 1200x800 PNG]", Images: []llm.Image{shot("a.png")}})
	}
}

// The images of the draft and of queued messages are saved and restored, even if their
// files no longer exist.
func TestDraftOfImages(t *testing.T) {
	d := newDriver(t, 80, 24, screen.Options{Files: screen.Files{ReadImage: readPicture}, Clipboard: screen.Clipboard{ReadImage: func(context.Context) (llm.Image, error) { return shot("clip"), nil }}})
	d.events(userSaid("go"))
	d.typeAndPress("like b].png and ", "ctrl+v")
	d.typeAndPress(" ok", "alt+enter")
	d.typeAndPress("see a.png or missing.png and ", "ctrl+v")
	d.typeText(" now")
	d.advance(2 * time.Second)

	again := newDriver(t, 80, 24, screen.Options{Session: screen.Session{Draft: d.savedDrafts[len(d.savedDrafts)-1]}})
	again.runCmd(again.m.Init())
	again.promptIs("see [image 1: a.png 1200x800 PNG] or missing.png and [image 2: clipboard] now")
	again.press("enter")
	first := event.Prompt{Text: "see [image 1: a.png 1200x800 PNG] or missing.png and [image 2: clipboard] now", Images: []llm.Image{shot("a.png"), shot("clip")}}
	again.wantCommands(first)
	again.events(userSaid(first.Text), turnEnd(event.Done, 0))
	again.press("up")
	again.promptIs("like [image 1: b).png 1200x800 PNG] and [image 2: clipboard] ok")
	again.press("home", "right", "right", "right", "right", "right", "delete", "enter")
	again.wantCommands(first, event.Prompt{Text: "like  and [image 1: clipboard] ok", Images: []llm.Image{shot("clip")}})
}

// Two queued messages with the same text keep their own images.
func TestQueuedMessagesKeepTheirImages(t *testing.T) {
	held := shot("one")
	d := newDriver(t, 80, 24, screen.Options{Clipboard: screen.Clipboard{ReadImage: func(context.Context) (llm.Image, error) { return held, nil }}})
	d.events(userSaid("go"))
	for _, held = range []llm.Image{shot("one"), shot("two")} {
		d.typeAndPress("this ", "ctrl+v")
		d.press("alt+enter")
	}
	prompt := func(img llm.Image) event.Prompt {
		return event.Prompt{Text: "this [image 1: clipboard]", Images: []llm.Image{img}}
	}
	d.press("up", "enter")
	d.wantCommands(prompt(shot("two")))
	d.press("up", "enter")
	d.wantCommands(prompt(shot("two")), prompt(shot("one")))
}

// A draft is saved again if only the content of an image changed.
func TestDraftOfAnotherImage(t *testing.T) {
	held := shot("one")
	d := newDriver(t, 80, 24, screen.Options{Clipboard: screen.Clipboard{ReadImage: func(context.Context) (llm.Image, error) { return held, nil }}})
	for _, held = range []llm.Image{shot("one"), shot("two")} {
		d.press("backspace", "ctrl+v")
		d.advance(2 * time.Second)
	}
	kept := func(img llm.Image) event.Draft {
		return event.Draft{Text: "[image 1: clipboard]", Images: []llm.Image{img}}
	}
	d.wantDrafts(kept(shot("one")), event.Draft{}, kept(shot("two")))
}
