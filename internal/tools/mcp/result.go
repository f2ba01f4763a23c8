package mcp

import (
	"cmp"
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

// content collects what a server sent, for the model.
type content struct {
	tools.Result
	text  strings.Builder
	texts []string // the parts that are text
}

// add adds a text that ends with a line break.
func (c *content) add(text string) {
	c.text.WriteString(phrase.EndLine(strings.ToValidUTF8(text, "\uFFFD")))
}

// addPart adds a part of a result or of a prompt.
func (c *content) addPart(ctx context.Context, part sdk.Content) {
	switch p := part.(type) {
	case *sdk.TextContent:
		c.texts = append(c.texts, p.Text)
		c.add(p.Text)
	case *sdk.ImageContent:
		c.addImage(ctx, p.Data, "image, "+p.MIMEType)
	case *sdk.AudioContent:
		c.add(fmt.Sprintf("[audio, %s, %s, not shown]", clipped(p.MIMEType), phrase.Bytes(int64(len(p.Data)))))
	case *sdk.ResourceLink:
		c.add("[resource " + clipped(strings.Join(strings.Fields(p.URI+" "+p.Name+" "+p.Description), " ")) + "]")
	case *sdk.EmbeddedResource:
		c.addResource(ctx, p.Resource)
	}
}

// fit returns the result with at most size bytes of text.
func (c *content) fit(s *server, size int, empty string) tools.Result {
	c.Text, c.Summary = s.fit(c.text.String(), size), phrase.Bytes(int64(c.text.Len()))
	if c.Text == "" {
		c.Text = empty
	}
	if n := len(c.Images); n > 0 {
		c.Summary += ", " + phrase.Count(n, "image")
	}
	return c.Result
}

// result returns the result of a tool for the model.
func (s *server) result(ctx context.Context, tool string, got *sdk.CallToolResult) tools.Result {
	c := content{Result: tools.Result{Source: s.Name, IsError: got.IsError}}
	for _, part := range got.Content {
		c.addPart(ctx, part)
	}
	c.add(structured(got.StructuredContent, c.texts))
	return c.fit(s, s.sizeOf(tool), "[the tool returned nothing]\n")
}

// addResource adds the content of a resource.
func (c *content) addResource(ctx context.Context, r *sdk.ResourceContents) {
	switch {
	case r == nil:
	case r.Blob == nil:
		c.add("[resource " + clipped(r.URI) + "]")
		c.add(r.Text)
	case strings.HasPrefix(r.MIMEType, "image/"):
		c.addImage(ctx, r.Blob, "resource "+r.URI)
	default:
		c.add(fmt.Sprintf("[resource %s: %s of %s, not shown]", clipped(r.URI), phrase.Bytes(int64(len(r.Blob))), clipped(cmp.Or(r.MIMEType, "an unknown type"))))
	}
}

// addImage adds an image and a note about it.
func (c *content) addImage(ctx context.Context, data []byte, what string) {
	what = clipped(what)
	if len(c.Images) == maxImages {
		c.add(fmt.Sprintf("[%s, not shown: a result may have %d images]", what, maxImages))
		return
	}
	shown, err := read.Show(ctx, data)
	if err != nil {
		c.add(fmt.Sprintf("[%s, not shown: %v]", what, err))
		return
	}
	c.Images = append(c.Images, llm.Image{MediaType: shown.Image.MediaType, Data: shown.Image.Data})
	c.add(fmt.Sprintf("[%s, %d x %d]", what, shown.Size.X, shown.Size.Y))
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
	if save := *s.all.save.Load(); save != nil {
		if file, err := save(text); err != nil {
			note += "; the complete result could not be saved: " + err.Error()
		} else {
			note += "; the complete result is in " + file
		}
	}
	return text[:head] + "\n" + marker.Note("%s", note) + "\n" + text[tail:]
}
