package mask

import (
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/quick"
)

// fixed returns a Masker with the same key in every test.
func fixed() *Masker {
	return New(func() ([]byte, error) { return []byte("a key of an installation, 32 bytes"), nil })
}

// random returns n characters of an alphabet. The same seed returns the same ones.
func random(seed uint64, n int, alphabet string) string {
	r := rand.New(rand.NewPCG(seed, 7))
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

const (
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits  = "0123456789"
	hex     = "0123456789abcdef"
	base32s = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	base64s = letters + digits + "+/"
)

// shapes are made-up secrets of many rules. They are composed at run time, so that this
// file contains none.
func shapes() map[string]string {
	jwt := "ey" + random(1, 30, letters+digits) + ".ey" + random(2, 60, letters+digits) + "." + random(3, 43, letters+digits)
	return map[string]string{
		"aws-access-token":              "AKIA" + random(4, 16, base32s),
		"github-pat":                    "ghp_" + random(5, 36, letters+digits),
		"github-oauth":                  "gho_" + random(6, 36, letters+digits),
		"github-app-token":              "ghs_" + random(7, 36, letters+digits),
		"github-fine-grained-pat":       "github_pat_" + random(8, 82, letters+digits),
		"gitlab-pat":                    "glpat-" + random(9, 20, letters+digits),
		"anthropic-api-key":             "sk-ant-api03-" + random(10, 93, letters+digits) + "AA",
		"openai-api-key":                "sk-" + random(11, 20, letters+digits) + "T3BlbkFJ" + random(12, 20, letters+digits),
		"gcp-api-key":                   "AIza" + random(13, 35, letters+digits),
		"slack-bot-token":               "xoxb-" + random(14, 12, digits) + "-" + random(15, 12, digits) + "-" + random(16, 24, letters+digits),
		"stripe-access-token":           "sk_live_" + random(17, 24, letters+digits),
		"npm-access-token":              "npm_" + random(18, 36, "abcdefghijklmnopqrstuvwxyz0123456789"),
		"pypi-upload-token":             "pypi-AgEIcHlwaS5vcmc" + random(19, 60, letters+digits),
		"huggingface-access-token":      "hf_" + random(20, 34, letters),
		"digitalocean-pat":              "dop_v1_" + random(21, 64, hex),
		"shopify-access-token":          "shpat_" + random(22, 32, hex),
		"sendgrid-api-token":            "SG." + random(23, 66, letters+digits),
		"databricks-api-token":          "dapi" + random(24, 32, hex),
		"jwt":                           jwt,
		"hashicorp-tf-api-token":        random(25, 14, letters+digits) + ".atlasv1." + random(26, 64, letters+digits),
		"grafana-service-account-token": "glsa_" + random(27, 32, letters+digits) + "_" + random(28, 8, hex),
	}
}

func TestShapes(t *testing.T) {
	for kind, value := range shapes() {
		if value == "" {
			continue
		}
		m := fixed()
		for _, text := range []string{
			"token = \"" + value + "\"\n",
			"     12\tTOKEN=" + value + "\n     13\tNEXT=1\n",
			"Authorization: Bearer " + value,
			strings.Repeat("an ordinary line of text\n", 2000) + value + "\n" + strings.Repeat("x = 1\n", 2000),
		} {
			masked := m.Text(text)
			if strings.Contains(masked, value) {
				t.Errorf("%s: not masked in %.80q", kind, text)
				continue
			}
			if !strings.Contains(masked, "[secret:"+kind+"-") {
				t.Errorf("%s: masked as something else: %.120q", kind, masked)
			}
			if again := m.Text(masked); again != masked {
				t.Errorf("%s: masked twice it is %.120q", kind, again)
			}
			if got, err := m.Restore(masked); err != nil || got != text {
				t.Errorf("%s: restored %.120q, %v", kind, got, err)
			}
		}
	}
}

// TestShapeWithName checks a rule whose secret has no shape of its own but a name before
// it.
func TestShapeWithName(t *testing.T) {
	value := random(30, 32, "abcdefghijklmnopqrstuvwxyz0123456789")
	m := fixed()
	masked := m.Text("adafruit_api_key = '" + value + "'")
	if want := "adafruit_api_key = '[secret:adafruit-api-key-"; !strings.HasPrefix(masked, want) {
		t.Errorf("got %q, want %q", masked, want)
	}
	if text := "checksum = '" + value + "'"; fixed().Text(text) != text {
		t.Errorf("masked %q", text)
	}
	if alone := m.Text("what is " + value + "?"); strings.Contains(alone, value) {
		t.Errorf("a secret seen before is not masked: %q", alone)
	}
}

// TestNoSecrets checks text that must stay as it is.
func TestNoSecrets(t *testing.T) {
	m := fixed()
	for _, text := range []string{
		"",
		"commit " + random(40, 40, hex),
		"sourcegraph/log at " + random(41, 40, hex),
		"sha256:" + random(42, 64, hex),
		"h1:" + random(43, 43, base64s) + "=",
		"0c1d3f2e-7b9a-4c55-8b1e-2f3a4d5e6f70",
		"AKIAIOSFODNN7" + "EXAMPLE",
		"password: hunter2",
		"const token = os.Getenv(\"GITHUB_TOKEN\")",
		"ghp_" + strings.Repeat("x", 36),
		"func isKey(s string) bool { return strings.HasPrefix(s, \"-----BEGIN RSA PRIVATE KEY-----\") && validatePrivateKeyBlock(s) }",
		"[secret:none]",
	} {
		if got := m.Text(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestPrivateKey(t *testing.T) {
	var lines []string
	for i := range uint64(20) {
		lines = append(lines, random(50+i, 64, base64s))
	}
	lines = append(lines, random(80, 30, base64s)+"==")
	kind := " PRIVATE" + " KEY-----"
	head, tail := "-----BEGIN RSA"+kind, "-----END RSA"+kind
	numbered := head
	for i, l := range lines {
		numbered += "\n" + strings.Repeat(" ", 4) + string(rune('2'+i%8)) + "\t" + l
	}
	for name, text := range map[string]string{
		"file":      head + "\n" + strings.Join(lines, "\n") + "\n" + tail + "\n",
		"windows":   head + "\r\n" + strings.Join(lines, "\r\n") + "\r\n" + tail + "\r\n",
		"escaped":   `{"private_key": "` + head + `\n` + strings.Join(lines, `\n`) + `\n` + tail + `\n"}`,
		"numbered":  numbered + "\n" + tail,
		"truncated": numbered,
		"diff":      "+" + head + "\n+" + strings.Join(lines, "\n+") + "\n+" + tail + "\n",
	} {
		m := fixed()
		masked := m.Text(text)
		for _, l := range lines {
			if strings.Contains(masked, l) {
				t.Errorf("%s: the line %s is not masked", name, l)
				break
			}
		}
		if !strings.Contains(masked, head) {
			t.Errorf("%s: the first line is masked", name)
		}
		if got, err := m.Restore(masked); err != nil || got != text {
			t.Errorf("%s: restored %q, %v", name, got, err)
		}
		if part := m.Text("line 7: " + lines[7]); strings.Contains(part, lines[7]) {
			t.Errorf("%s: a single line of a key seen before is not masked", name)
		}
	}
}

func TestGivenValues(t *testing.T) {
	m := fixed()
	password := random(90, 12, letters) + "!"
	dsn := "postgres://ann:" + password + "@db/shop"
	m.Add("MY_SERVICE_KEY", "  s3cret-value\n")
	m.Add("DATABASE_URL", dsn)
	for _, word := range []string{"postgres", "Password", "CHANGEME", "12345678", "short"} {
		m.Add("DB_PASSWORD", word)
	}
	for text, want := range map[string]string{
		"x s3cret-value y":                    "x [secret:my-service-key-",
		"dial " + dsn:                         "dial [secret:database-url-",
		"password " + password:                "password [secret:database-url-",
		"s3cret-values":                       "[secret:my-service-key-",
		"S3CRET-VALUE":                        "S3CRET-VALUE",
		"postgres Password CHANGEME 12345678": "postgres Password CHANGEME 12345678",
	} {
		if got := m.Text(text); !strings.HasPrefix(got, want) {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// TestStable checks that a placeholder depends only on the key and the secret.
func TestStable(t *testing.T) {
	value := shapes()["github-pat"]
	first, second := fixed(), fixed()
	second.Text(shapes()["gitlab-pat"])
	a, b := first.Text(value), second.Text("again "+value)
	if b != "again "+a {
		t.Errorf("%q and %q differ", a, b)
	}
	if other := New(nil).Text(value); other == a {
		t.Error("a placeholder without the key is the same")
	}
}

func TestUnknownPlaceholder(t *testing.T) {
	value := shapes()["github-pat"]
	m := fixed()
	p := m.Text(value)
	wrong := strings.Replace(p, "-pat-", "-pat-a", 1)
	for _, text := range []string{wrong, "x " + wrong + p, "[secret:anything]", "[secret:github-pat]"} {
		got, err := m.Restore(text)
		if _, ok := errors.AsType[*UnknownError](err); !ok || got != "" {
			t.Errorf("restored %q as %q, %v", text, got, err)
		}
	}
	m.Note("the documentation says [secret:anything] and " + p)
	if got, err := m.Restore("[secret:anything] " + p); err != nil || got != "[secret:anything] "+value {
		t.Errorf("got %q, %v", got, err)
	}
	later := fixed() // of a resumed session
	later.Note("an old output shows " + p)
	if got, err := later.Restore(p); err == nil {
		t.Errorf("a placeholder of an earlier session was kept: %q", got)
	}
}

func TestJSON(t *testing.T) {
	m := fixed()
	value := shapes()["github-pat"]
	m.Add("QUOTED", `a"b\c<d>-e1`)
	in := json.RawMessage(`{ "path": "a.go", "n": 1.50, "text": "<b>\n` + value + `\t", "more": ["a\"b\\c<d>-e1"] }`)
	masked := m.JSON(in)
	if s := string(masked); strings.Contains(s, value) || strings.Contains(s, `c<d>`) || !strings.Contains(s, `{ "path": "a.go", "n": 1.50, "text": "<b>\n[secret:`) {
		t.Fatalf("masked: %s", s)
	}
	back, err := m.RestoreJSON(masked, nil)
	if err != nil || string(back) != string(in) {
		t.Errorf("restored %s, %v", back, err)
	}
	if broken := m.JSON(json.RawMessage(`{"a": "` + value)); strings.Contains(string(broken), value) {
		t.Errorf("broken JSON is not masked: %s", broken)
	}
}

// TestRoundTrip checks that restoring what was masked is the identity, for random
// sequences of secrets, fragments of them and other text.
func TestRoundTrip(t *testing.T) {
	m := fixed()
	m.Add("GIVEN", "given-value-1")
	pieces := []string{"given-value-1", "given-", "[secret:", "]", "\n", " ", "=", "\"", "é", "\xff", "[secret:x-abcdefghijkl]", "-----BEGIN PRIVATE" + " KEY-----\n", random(99, 64, base64s)}
	for _, value := range shapes() {
		if value != "" {
			pieces = append(pieces, value, value[:len(value)/2])
		}
	}
	check := func(picks []uint8) bool {
		var b strings.Builder
		for _, p := range picks {
			b.WriteString(pieces[int(p)%len(pieces)])
		}
		return roundTrip(t, m, b.String())
	}
	if err := quick.Check(check, &quick.Config{MaxCount: 500}); err != nil {
		t.Error(err)
	}
}

func roundTrip(t *testing.T, m *Masker, text string) bool {
	for _, at := range placeholders(text) {
		if m.tags().made(text[at[0]:at[1]]) {
			return true // only this installation makes such a text
		}
	}
	m.Note(text)
	masked := m.Text(text)
	got, err := m.Restore(masked)
	if err != nil || got != text {
		t.Errorf("%q was masked as %q and restored as %q, %v", text, masked, got, err)
		return false
	}
	return true
}

func FuzzRoundTrip(f *testing.F) {
	f.Add("ordinary text")
	f.Add("[secret:github-pat-abcdefghijkl] [secret:")
	for _, value := range shapes() {
		f.Add("a=" + value + "\n")
	}
	m := fixed()
	m.Add("GIVEN", "given-value-1")
	f.Fuzz(func(t *testing.T, text string) {
		roundTrip(t, m, text)
		again := m.Text(text)
		if m.Text(again) != again {
			t.Errorf("%q: masked twice", text)
		}
		if valid, err := json.Marshal(text); err == nil && !json.Valid(m.JSON(valid)) {
			t.Errorf("%s: no JSON any more", valid)
		}
	})
}

// source is a directory of source code, to look for false positives.
var source = flag.String("source", "", "print what is masked in the files below this directory; see TestSource")

// TestSource prints what is masked in real source code. In bubbletea v2, cobra v1.10.2
// and go-openai v1.43.0 (252 files, 1.4 MB, with documentation) it is nothing. In gitleaks
// v8.30.1 it is the made-up secrets of its tests.
func TestSource(t *testing.T) {
	if *source == "" {
		t.Skip("-source names no directory")
	}
	files, size := 0, 0
	err := filepath.WalkDir(*source, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || strings.Contains(string(text), "\x00") {
			return err
		}
		files++
		size += len(text)
		m := New(nil)
		m.Text(string(text))
		for value, p := range m.values {
			t.Logf("%s: %s %q", path, p, value)
		}
		return nil
	})
	t.Logf("%d files, %d KB, %v", files, size>>10, err)
}

// BenchmarkText masks 1 MB of source code with one secret.
func BenchmarkText(b *testing.B) {
	files, err := filepath.Glob("../../tui/*.go")
	if err != nil || len(files) == 0 {
		b.Fatal("no source files: ", err)
	}
	var text strings.Builder
	for _, name := range files {
		file, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		text.Write(file)
	}
	s := strings.Repeat(text.String(), 1+1<<20/text.Len())[:1<<20] + shapes()["github-pat"]
	m := fixed()
	m.Text(s)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		m.Text(s)
	}
}

// BenchmarkFirst masks the first text of a session.
func BenchmarkFirst(b *testing.B) {
	for b.Loop() {
		fixed().Text("an ordinary prompt, and no more")
	}
}
