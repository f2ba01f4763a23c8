package tools

import "testing"

// The port is found in what common servers print, and not in other output.
func TestPortInOutput(t *testing.T) {
	for output, want := range map[string]int{
		"  ➜  Local:   http://localhost:5173/\n":                                5173,
		"Serving HTTP on 0.0.0.0 port 8000 (http://0.0.0.0:8000/) ...\n":        8000,
		"Server listening on port 3000\n":                                       3000,
		"2026/11/23 10:00:00 listening on :8080\n":                              8080,
		"* Listening on http://127.0.0.1:9292\n":                                9292,
		"Starting development server at http://127.0.0.1:8000/\nQuit with ^C\n": 8000,
		"started server on [::]:3000, url: http://localhost:3000\n":             3000,
		"running on [::1]:4000\n":                                               4000,
		"[no new output]\n[job 1 still running after 2 s]\n":                    0,
		"10:32:17 compiling\n--- FAIL: TestPort (0.01s)\n":                      0,
		"listening\n":                      0,
		"connect to db.example.org:5432\n": 0,
		"listening on port 99999\n":        0,
		"running 12 tests\nok 3000\n":      0,
	} {
		if got := portIn(output); got != want {
			t.Errorf("%q: got port %d, want %d", output, got, want)
		}
	}
}
