package desktop

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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

// TestImageByPath detects the format by content and accepts quoted paths.
func TestImageByPath(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home) // as Windows calls it
	work := filepath.Join(home, "src", "shop")
	writeFiles(t, work, map[string]string{"two words.png": string(square(t, 8)), "large.png": string(square(t, 3000)), "text.png": "no image\n", "photo.heic": "\x00\x00\x00\x18ftypheic"})
	p := &Images{Dir: work}
	abs := filepath.Join(work, "two words.png")
	spelled := []string{"two words.png", abs, " two words.png ", `'` + abs + `'`, `"two words.png"`, "~/src/shop/two words.png"}
	if runtime.GOOS != "windows" {
		url := "file://" + strings.ReplaceAll(abs, " ", "%20")
		spelled = append(spelled, `two\ words.png`, `'two'\ 'words.png'`, `"two words".png`, url, "'"+url+"'", strings.Replace(url, "//", "//localhost", 1))
	}
	for _, path := range spelled {
		img, what, err := p.File(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if img.MediaType != "image/png" || what != "8x8 PNG" {
			t.Errorf("%s: got %s, %s", path, img.MediaType, what)
		}
	}
	img, what, err := p.File("large.png")
	if err != nil || what != "3000x3000 PNG" {
		t.Fatalf("got %s, %v", what, err)
	}
	c, err := png.DecodeConfig(bytes.NewReader(img.Data))
	if err != nil || c.Width > 2000 {
		t.Errorf("a large image is sent with a width of %d (%v), want one that every provider takes", c.Width, err)
	}
	for path, want := range map[string]string{
		"photo.heic": "PNG, JPEG, GIF, WebP and BMP", "text.png": "supported image formats", "none.png": "file not found: ", ".": "is not a regular file", "": "not a file path", "a\nb.png": "not a file path",
	} {
		if _, _, err := p.File(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got error %v, want one that says %q", path, err, want)
		}
	}
}

// stage puts programs with the given scripts first in PATH.
func stage(t *testing.T, scripts map[string]string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the programs are shell scripts")
	}
	dir := t.TempDir()
	for name, script := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
}

// TestClipboardImage reads an image from the clipboard of each system.
func TestClipboardImage(t *testing.T) {
	content := square(t, 4)
	file := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	digits, text := strings.ToUpper(hex.EncodeToString(content)), base64.StdEncoding.EncodeToString(content)
	for _, c := range []struct {
		name, system string
		env          map[string]string
		programs     map[string]string
		want         string // of the error; empty for the image
	}{
		{"wayland", "linux", map[string]string{"WAYLAND_DISPLAY": "wayland-0"}, map[string]string{
			"wl-paste": `case "$*" in "--list-types") echo text/plain; echo image/png;; "--no-newline --type image/png") cat ` + file + `;; *) exit 1;; esac`}, ""},
		{"x11", "linux", map[string]string{"DISPLAY": ":0"}, map[string]string{
			"xclip": `case "$*" in *"-target TARGETS") echo TARGETS; echo image/png;; *"-target image/png") cat ` + file + `;; *) exit 1;; esac`}, ""},
		{"copied file", "linux", map[string]string{"DISPLAY": ":0"}, map[string]string{
			"xclip": `case "$*" in *"-target TARGETS") echo text/uri-list;; *"-target text/uri-list") printf '# copied\r\nfile://` + file + `\r\n';; *) exit 1;; esac`}, ""},
		{"text only", "linux", map[string]string{"DISPLAY": ":0"}, map[string]string{"xclip": "echo UTF8_STRING"}, "contains no image"},
		{"empty", "linux", map[string]string{"WAYLAND_DISPLAY": "w"}, map[string]string{"wl-paste": "exit 1"}, "contains no image"},
		{"wsl", "linux", map[string]string{"WSL_DISTRO_NAME": "Debian"}, map[string]string{"powershell.exe": "echo " + text}, ""},
		{"windows", "windows", nil, map[string]string{"powershell": "echo " + text}, ""},
		{"windows, text only", "windows", nil, map[string]string{"powershell": "true"}, "contains no image"},
		{"macos", "darwin", nil, map[string]string{"osascript": "echo '«data PNGf" + digits + "»'"}, ""},
		{"macos, text only", "darwin", nil, map[string]string{"osascript": "exit 1"}, "contains no image"},
		{"no display", "linux", nil, nil, "Type the path"},
		{"too much", "darwin", nil, map[string]string{"osascript": "head -c 200000 /dev/zero"}, "larger than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			stage(t, c.programs)
			got, err := Clipboard{c.system, func(name string) string { return c.env[name] }, 32 << 10}.Image(context.Background())
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got error %v, want one that says %q", err, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(got, content); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestClipboardWithoutProgram names the missing program.
func TestClipboardWithoutProgram(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for display, want := range map[string]string{"WAYLAND_DISPLAY": "wl-clipboard", "DISPLAY": "xclip"} {
		_, err := Clipboard{"linux", func(name string) string {
			if name == display {
				return "x"
			}
			return ""
		}, 0}.Image(context.Background())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one that names %s", err, want)
		}
	}
}

// writeFiles writes files with the given contents below dir.
func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
