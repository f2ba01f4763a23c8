package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
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
		c.add("[resource without content]")
	case r.Blob == nil:
		c.add("[resource " + clipped(r.URI) + "]")
		c.texts = append(c.texts, r.Text)
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

// structured returns structured content as JSON, without what the texts have already. It is
// empty if they have all of it.
func structured(content any, texts []string) string {
	sent := sentTexts{}
	for _, text := range texts {
		sent.add(text)
	}
	if content == nil || sent.has(content, 0) {
		return ""
	}
	b, err := json.MarshalIndent(sent.without(content), "", "  ")
	if err != nil {
		return ""
	}
	return string(b)
}

// sentTexts are the texts of a result, and those that are JSON also as encode writes it.
type sentTexts map[string]bool

func (s sentTexts) add(text string) {
	s[strings.TrimSpace(text)] = true
	if _, fenced, ok := strings.Cut(strings.TrimSpace(text), "```json\n"); ok {
		text = strings.TrimSuffix(fenced, "```")
	}
	var value any
	if json.Unmarshal([]byte(text), &value) == nil {
		s[string(encode(value))] = true
	}
}

// maxCompared is how deep structured content is compared with texts that are JSON.
const maxCompared = 3

// has reports whether a text repeats v, or texts repeat all that is in it.
func (s sentTexts) has(v any, depth int) bool {
	if text, ok := v.(string); ok && s[strings.TrimSpace(text)] || depth <= maxCompared && s[string(encode(v))] {
		return true
	}
	var inner []any
	switch v := v.(type) {
	case []any:
		inner = slices.Clone(v)
	case map[string]any:
		inner = slices.Collect(maps.Values(v))
	}
	inner = slices.DeleteFunc(inner, func(e any) bool { return e == nil || e == "" }) // says nothing
	return len(inner) > 0 && !slices.ContainsFunc(inner, func(e any) bool { return !s.has(e, depth+1) })
}

// minRepeated is the length in bytes from which a repeated text is replaced.
const minRepeated = 200

// without returns v with a note in place of the long strings that a text repeats.
func (s sentTexts) without(v any) any {
	switch v := v.(type) {
	case string:
		if len(v) >= minRepeated && s[strings.TrimSpace(v)] {
			return "[the same as the text above]"
		}
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = s.without(e)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, e := range v {
			out[name] = s.without(e)
		}
		return out
	}
	return v
}

// sizeOf returns how many bytes of a result of a tool the model gets.
func (s *server) sizeOf(tool string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.offers.tools {
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
