package export_test

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agent/internal/loop/export"
)

var update = flag.Bool("update", false, "update the golden files")

// formats are the export formats.
var formats = map[string]func(io.Writer, export.Session) error{
	"md": export.Markdown, "html": export.HTML, "json": export.JSON,
}

func write(t testing.TB, format string, s export.Session) string {
	t.Helper()
	var b bytes.Buffer
	if err := formats[format](&b, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (run with -update to write it)", err)
	}
	if diff := cmp.Diff(got, string(want)); diff != "" {
		t.Errorf("%s (-got +want):\n%s", name, diff)
	}
}

func TestExportFormats(t *testing.T) {
	for format := range formats {
		golden(t, "weather."+format, write(t, format, weather(t)))
	}
}
