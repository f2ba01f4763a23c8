package mask

import (
	"strings"
	"testing"
)

// A secret is masked although a terminal would not show parts of it, and restored without them.
func TestSecretsWithHiddenParts(t *testing.T) {
	const red, off = "\x1b[01;31m\x1b[K", "\x1b[m\x1b[K"
	secrets := shapes()
	secrets["test-key"] = "a secret value of a test, 1"
	for kind, value := range secrets {
		middle := len(value) / 2
		for name, text := range map[string]string{
			"color before":         "x = " + red + value + off + "\n",
			"color in the middle":  value[:2] + red + value[2:middle] + off + value[middle:] + "\n",
			"every character":      strings.Join(strings.Split(value, ""), "\x1b[38:5:1m") + " x",
			"8-bit color":          value[:middle] + "\u009b31m" + value[middle:] + " x",
			"link":                 value[:middle] + "\x1b]8;;https://example.com/\x1b\\" + value[middle:] + "\x1b]8;;\a x",
			"title, not ended":     value[:middle] + "\x1b]" + value[middle:] + " x",
			"address of a link":    "\x1b]8;;" + value + "\atext\x1b]8;;\a",
			"charset":              value[:middle] + "\x1b(B\x1b[0m" + value[middle:] + " x",
			"zero width":           strings.Join(strings.Split(value, ""), "\u200b") + " x",
			"NUL, as in UTF-16":    strings.Join(strings.Split(value, ""), "\x00") + "\x00 \x00x",
			"control characters":   value[:middle] + "\x01\r\x7f" + value[middle:] + " x",
			"soft hyphen and mark": value[:middle] + "\u00ad\ufeff" + value[middle:] + " x",
		} {
			m := fixed()
			m.Add("TEST_KEY", "a secret value of a test, 1")
			masked := m.Text(text)
			if shown, ok := visible(masked, "", true); ok && strings.Contains(shown.text, value) || strings.Contains(masked, value) {
				t.Errorf("%s, %s: not masked: %q", kind, name, masked)
				continue
			}
			if !strings.Contains(masked, "[secret:"+kind+"-") {
				t.Errorf("%s, %s: masked as something else: %q", kind, name, masked)
			}
			if got, err := m.Restore(masked); err != nil || !strings.Contains(got, value) {
				t.Errorf("%s, %s: restored %q, %v", kind, name, got, err)
			}
			if again := m.Text(masked); again != masked {
				t.Errorf("%s, %s: masked twice it is %q", kind, name, again)
			}
		}
	}
}

// Two secrets with only a color between them, as in a diff of words, are two.
func TestSecretsApartByColor(t *testing.T) {
	a, b := "ghp_"+random(5, 36, letters+digits), "ghp_"+random(6, 36, letters+digits)
	m := fixed()
	masked := m.Text("key \x1b[31m" + a + "\x1b[m\x1b[32m" + b + "\x1b[m\n")
	if strings.Count(masked, "[secret:github-pat-") != 2 || strings.Contains(masked, a) || strings.Contains(masked, b) {
		t.Errorf("got %q", masked)
	}
}

// Text with escape sequences but without secrets stays as it is.
func TestHiddenPartsWithoutSecrets(t *testing.T) {
	for _, text := range []string{"\x1b[31mred\x1b[m text of a line\r\n", "an emoji ⚠️ and 👩‍💻", "\x1b", "\x1b]8;;x\x1b\\link\x1b]8;;\a", "\xff\xfe\x00x\x00yyyyyyy", "end \x1b["} {
		if got := fixed().Text(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
