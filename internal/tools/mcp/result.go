package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"agent/internal/llm"
	"agent/internal/llm/marker"
	"agent/internal/llm/phrase"
	"agent/internal/tools"
	"agent/internal/tools/read"
)

const (
	// maxResult is how many bytes of a result the model gets, and mostResult how many if the
	// server asks for more.
	maxResult  = 24 << 10
	mostResult = 200 << 10
	// maxImages limits the images of a result.
	maxImages = 8
)

// result returns the result of a tool for the model.
func (s *server) result(ctx context.Context, tool string, got *sdk.CallToolResult) tools.Result {
	r := tools.Result{Source: s.Name, IsError: got.IsError}
	var b strings.Builder
	add := func(text string) {
		b.WriteString(phrase.EndLine(strings.ToValidUTF8(text, "\uFFFD")))
	}
	var texts []string
	for _, c := range got.Content {
		switch c := c.(type) {
		case *sdk.TextContent:
			texts = append(texts, c.Text)
			add(c.Text)
		case *sdk.ImageContent:
			add(addImage(ctx, &r, c.Data, "image, "+c.MIMEType))
		case *sdk.AudioContent:
			add(fmt.Sprintf("[audio, %s, %s, not shown]", clipped(c.MIMEType), phrase.Bytes(int64(len(c.Data)))))
		case *sdk.ResourceLink:
			add("[resource " + clipped(strings.Join(strings.Fields(c.URI+" "+c.Name+" "+c.Description), " ")) + "]")
		case *sdk.EmbeddedResource:
			addResource(ctx, add, &r, c.Resource)
		}
	}
	if text := structured(got.StructuredContent, texts); text != "" {
		add(text)
	}
	r.Text = s.fit(b.String(), s.sizeOf(tool))
	if r.Text == "" {
		r.Text = "[the tool returned nothing]\n"
	}
	r.Summary = phrase.Bytes(int64(b.Len()))
	if n := len(r.Images); n > 0 {
		r.Summary += ", " + phrase.Count(n, "image")
	}
	return r
}

// addResource adds the content of a resource.
func addResource(ctx context.Context, add func(string), r *tools.Result, c *sdk.ResourceContents) {
	switch {
	case c == nil:
	case c.Blob == nil:
		add("[resource " + clipped(c.URI) + "]")
		add(c.Text)
	case strings.HasPrefix(c.MIMEType, "image/"):
		add(addImage(ctx, r, c.Blob, "resource "+c.URI))
	default:
		add(fmt.Sprintf("[resource %s: %s of %s, not shown]", clipped(c.URI), phrase.Bytes(int64(len(c.Blob))), clipped(c.MIMEType)))
	}
}

// addImage adds an image to the result and returns a note about it.
func addImage(ctx context.Context, r *tools.Result, data []byte, what string) string {
	what = clipped(what)
	if len(r.Images) == maxImages {
		return fmt.Sprintf("[%s, not shown: a result may have %d images]", what, maxImages)
	}
	shown, err := read.Show(ctx, data)
	if err != nil {
		return fmt.Sprintf("[%s, not shown: %v]", what, err)
	}
	r.Images = append(r.Images, llm.Image{MediaType: shown.Image.MediaType, Data: shown.Image.Data})
	return fmt.Sprintf("[%s, %d x %d]", what, shown.Size.X, shown.Size.Y)
}

// clipped shortens a short text of a server, such as a URI.
func clipped(text string) string { return phrase.Clip(text, maxStated) }

// structured returns structured content as JSON, unless one of the texts is the same.
func structured(content any, texts []string) string {
	if content == nil {
		return ""
	}
	for _, text := range texts {
		var same any
		if json.Unmarshal([]byte(text), &same) == nil && reflect.DeepEqual(same, content) {
			return ""
		}
	}
	b, err := json.MarshalIndent(content, "", "  ")
	if err != nil {
		return ""
	}
	return string(b)
}

// sizeOf returns how many bytes of a result of a tool the model gets.
func (s *server) sizeOf(tool string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tools {
		if t.Tool == tool {
			return t.maxResult
		}
	}
	return maxResult
}

// fit returns the beginning and the end of a text that is longer than size bytes, and saves
// all of it.
func (s *server) fit(text string, size int) string {
	if len(text) <= size || s.all.o.Complete {
		return text
	}
	head, tail := size/2, len(text)-size/2
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	note := fmt.Sprintf("%s of %s omitted", phrase.Bytes(int64(tail-head)), phrase.Bytes(int64(len(text))))
	if s.all.o.Save != nil {
		if file, err := s.all.o.Save(text); err != nil {
			note += "; the complete result could not be saved: " + err.Error()
		} else {
			note += "; the complete result is in " + file
		}
	}
	return text[:head] + "\n" + marker.Note("%s", note) + "\n" + text[tail:]
}
