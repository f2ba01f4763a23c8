package wire

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Response headers that are too long are rejected.
func TestHeadersAreLimited(t *testing.T) {
	for _, size := range []int{maxHeaders / 2, 2 * maxHeaders} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Long", strings.Repeat("x", size))
			_, _ = io.WriteString(w, "data: {}\n\ndata: [DONE]\n\n")
		}))
		c := New(Endpoint{Name: "test", Base: s.URL})
		x := c.Exchange(t.Context(), "m")
		_, err := x.Post("/", []byte("{}"))
		if fits := size < maxHeaders; (err == nil) != fits {
			t.Errorf("%d bytes: got error %v", size, err)
		}
		if err != nil {
			if e := x.Failed(err); !strings.Contains(e.Message, "headers") {
				t.Errorf("got %q, want that the headers are too long", e.Message)
			}
		}
		_ = x.Close()
		c.Close()
		s.Close()
	}
}
