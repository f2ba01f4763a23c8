package acp

import (
	"testing"

	"github.com/coder/acp-go-sdk"
)

// client answers each request with one result.
type client struct {
	conn   *conn
	result string
}

func (c *client) Write(b []byte) (int, error) {
	go c.conn.handleMessage([]byte(`{"jsonrpc":"2.0","id":1,"result":` + c.result + `}`))
	return len(b), nil
}

// An editor that answers without the text of a file does not know it.
func TestTextOfAFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		result, text string
		ok           bool
	}{{`{"content":"a"}`, "a", true}, {`{"content":""}`, "", true}, {`{}`, "", false}, {`null`, "", false}, {`{"content":null}`, "", false}, {`[]`, "", false}} {
		editor := &client{result: c.result}
		editor.conn = newConn(t.Context(), editor, t.Logf)
		text, ok := newFiles(editor.conn, acp.FileSystemCapabilities{ReadTextFile: true}).Text(t.Context(), "/a")
		if text != c.text || ok != c.ok {
			t.Errorf("%s: got %q, %v", c.result, text, ok)
		}
	}
}
