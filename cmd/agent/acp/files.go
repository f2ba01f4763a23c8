package acp

import (
	"context"
	"errors"
	"time"

	"github.com/coder/acp-go-sdk"
)

// fileTime is the time limit for reading or writing a file through the editor.
const fileTime = 2 * time.Second

// files is the access to the files that the editor has open. It implements
// workspace.Editor.
type files struct {
	conn *conn
	fs   acp.FileSystemCapabilities
	id   acp.SessionId // set by bind
}

// newFiles returns the access to the files of the editor; nil if it does not share them.
func newFiles(c *conn, fs acp.FileSystemCapabilities) *files {
	if !fs.ReadTextFile {
		return nil
	}
	return &files{conn: c, fs: fs}
}

// bind sets the session whose files are read. It is called before a tool runs.
func (f *files) bind(id acp.SessionId) { f.id = id }

// Text returns the text of a file as the editor has it, which may not be saved. It reports
// false if the editor does not answer or does not know the file.
func (f *files) Text(ctx context.Context, path string) (string, bool) {
	ctx, stop := context.WithTimeout(ctx, fileTime)
	defer stop()
	var r struct {
		Content *string `json:"content"`
	}
	err := f.conn.call(ctx, acp.ClientMethodFsReadTextFile, acp.ReadTextFileRequest{SessionId: f.id, Path: path}, &r)
	if err != nil || r.Content == nil { // an answer without content is not an empty file
		return "", false
	}
	return *r.Content, true
}

// Replace replaces the text of a file in the editor, which saves it.
func (f *files) Replace(ctx context.Context, path, text string) error {
	if !f.fs.WriteTextFile {
		return errors.New("the editor does not accept changes")
	}
	ctx, stop := context.WithTimeout(ctx, fileTime)
	defer stop()
	var r acp.WriteTextFileResponse
	return f.conn.call(ctx, acp.ClientMethodFsWriteTextFile, acp.WriteTextFileRequest{SessionId: f.id, Path: path, Content: text}, &r)
}
