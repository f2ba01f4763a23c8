package export_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/loop/export"
)

// nasties are texts that try to inject markup.
var nasties = []string{
	"<script>alert(1)</script>",
	"</details></section></main><h1>gone</h1>",
	"<img src=x onerror=alert(1)>",
	"<!-- the rest is a comment",
	"]]><![CDATA[ <?php",
	"<style>*{display:none}</style>",
	"</style></title></pre></code><svg onload=alert(1)>",
	"[click](javascript:alert(1)) ![x](https://example.org/track.png) [d](data:text/html,<script>) <javascript:alert(1)> [f](file:///etc/passwd) [v](JaVaScRiPt:alert(1)) [t](\tjavascript:alert(1))",
	"[ok](https://example.org/\"onmouseover=\"alert(1)) https://example.org/<b>\" onclick=x",
	"\x1b[2J\x1b]0;title\x07\x1b[31mred\x1b[0m \x9b31m",
	"nul \x00 del \x7f bad \xff\xfe utf8 \xc3",
	"\u202egnp.exe\u2066 zero\u200bwidth \U000e0041tag \u2028 line",
	"```\nopen fence",
	"~~~~ sh\nopen fence of tildes",
	"<details>\n\n```html\n</details>\n",
	"<div>\n```\n</div>\n\n<pre>\n",
	"> quote\n- list\n    indented <b>\n\n| a | b |\n|---|---|\n| <i> | `</td>` |",
	"{{.Title}} {{define \"x\"}} ${1} $$x$$",
	"&lt;b&gt; &amp; \"quotes\" 'and' `ticks`",
	strings.Repeat("[a](", 5<<10) + "</details><script>",
	strings.Repeat("[", 200) + strings.Repeat("*_", 200) + strings.Repeat("> ", 200),
}

// hostile returns a session in which every text is s.
func hostile(t testing.TB, s string) export.Session {
	b := newScript()
	quoted, err := json.Marshal(map[string]string{"command": s})
	if err != nil {
		t.Fatal(err)
	}
	b.add(&event.ModelSet{Meta: b.meta(), Model: s, Why: s})
	b.add(&event.ModeSet{Meta: b.meta(), Mode: s})
	b.reply = "r"
	b.user(s, llm.Image{MediaType: s, Data: []byte(s)})
	b.say(llm.Thinking, s)
	b.say(llm.Assistant, s)
	diffs := []event.Diff{{Path: s, Unified: s}, {Path: s, Unified: "@@ -1 +1 @@\n-a " + s + "\n+b " + s + "\n"}}
	b.call("c1", s, string(quoted), event.ToolEnd{Title: s, Outcome: event.OK, Summary: s, Diffs: diffs, Result: llm.Message{Text: s}})
	b.add(&event.TodoSet{Meta: b.meta(), ID: s, Items: []event.TodoItem{{Text: s, State: event.TodoState(s)}}})
	b.call("c2", s, string(quoted), event.ToolEnd{Title: s, Outcome: event.Outcome(s), Summary: s, Result: llm.Message{Text: strings.Repeat(s+"\n", 20)}})
	b.add(&event.MessageDone{Meta: b.meta(), Message: llm.Message{Kind: llm.ToolCall, Reply: "r", ID: "c3", Name: s, Input: json.RawMessage("{}"), Raw: s}})
	b.add(&event.Decided{Meta: b.meta(), ID: "c3", Decision: event.Always, Scope: s, Note: s})
	b.add(&event.ToolEnd{Meta: b.meta(), Outcome: event.Failed, Result: llm.Message{Kind: llm.ToolResult, ID: "c3", Text: s}})
	b.add(&event.MessageDone{Meta: b.meta(), Message: llm.Message{Kind: llm.ToolCall, Reply: "r", ID: "c4", Name: s, Input: json.RawMessage("{}")}})
	for id, call := range []string{"c4", s, ""} { // of the call, in the background, without an end
		b.add(&event.DelegateStart{Meta: b.meta(), ID: id, Call: call, Name: s, Prompt: s, Model: s, Session: s, Dir: s})
	}
	for id := range 2 {
		b.add(&event.DelegateEnd{Meta: b.meta(), ID: id, Name: s, Reason: event.Reason(s), Error: s, Answer: s, Transcript: s})
	}
	for _, state := range []event.PlanState{event.PlanApproved, event.PlanRejected, event.PlanState(s)} {
		b.add(&event.PlanSet{Meta: b.meta(), ID: s, Plan: event.Plan{Title: s, Steps: []string{s}}, Text: s, State: state, Mode: s, Note: s})
	}
	b.add(&event.PlanSet{Meta: b.meta(), ID: "c4", Text: s, State: event.PlanApproved})
	b.add(&event.ToolEnd{Meta: b.meta(), Title: s, Outcome: event.OK, Result: llm.Message{Kind: llm.ToolResult, ID: "c4", Text: s}})
	b.add(&event.UserSaid{Meta: b.meta(), Text: s, Steered: true})
	b.add(&event.Partial{Meta: b.meta(), Reply: "r2", Kind: llm.Assistant, Text: s})
	b.add(&event.StepEnd{Meta: b.meta(), Reply: "r", Model: s})
	b.add(&event.TurnEnd{Meta: b.meta(), Reason: event.Reason(s), Error: s, Hint: s})
	for range 3 {
		b.user(s)
		b.end(event.ProviderError, s, s, 0.1)
	}
	return export.Session{Header: history.Header{ID: s, Dir: s, Version: s, Parent: s, Agent: s}, Title: s, Events: b.events}
}

// tag matches a tag in a page whose text is escaped.
var (
	tag       = regexp.MustCompile(`<(/?)([!a-zA-Z][^\s>]*)([^>]*)>`)
	attribute = regexp.MustCompile(`\s+([a-zA-Z-]+)(?:="([^"]*)")?`)
)

// TestHTMLEscapesContent checks the tags of the page of each hostile session:
// only those of the templates may occur, correctly nested.
func TestHTMLEscapesContent(t *testing.T) {
	void := []string{"!doctype", "meta", "img", "br", "hr", "input"}
	known := strings.Fields("html head title style body a header h1 h2 h3 h4 h5 h6 dl div dt dd nav details summary table thead tbody tfoot tr th td main section span time p pre code figure figcaption mark strong em del ul ol li blockquote footer")
	attributes := strings.Fields("lang charset http-equiv content name class href id dir aria-labelledby aria-hidden scope datetime src alt open data-n rel start align checked disabled type html")
	for _, nasty := range nasties {
		page := write(t, "html", hostile(t, nasty))
		body := page[strings.Index(page, "</style>"):]
		if n := strings.Count(page, "<style"); n != 1 {
			t.Errorf("%q: %d styles", nasty, n)
		}
		stack := []string{"html", "head", "style"}
		for _, m := range tag.FindAllStringSubmatch(body, -1) {
			name := m[2]
			if !slices.Contains(known, name) && !slices.Contains(void, name) {
				t.Fatalf("%q: the page has a tag %s", nasty, m[0])
			}
			if rest := attribute.ReplaceAllStringFunc(m[3], func(a string) string {
				return checkAttribute(t, nasty, attributes, a)
			}); strings.Trim(rest, " /") != "" {
				t.Errorf("%q: in the tag %s stands %q", nasty, m[0], rest)
			}
			switch {
			case slices.Contains(void, name):
			case m[1] == "":
				stack = append(stack, name)
			case len(stack) == 0 || stack[len(stack)-1] != name:
				t.Fatalf("%q: %s ends where %v are open", nasty, m[0], stack)
			default:
				stack = stack[:len(stack)-1]
			}
		}
		if len(stack) > 0 {
			t.Errorf("%q: %v are open at the end", nasty, stack)
		}
		if strings.Count(body, "<") != len(tag.FindAllString(body, -1)) {
			t.Errorf("%q: the page has a < that begins no tag", nasty)
		}
		checkText(t, nasty, page)
	}
}

func checkAttribute(t *testing.T, nasty string, known []string, a string) string {
	m := attribute.FindStringSubmatch(a)
	value := m[2]
	switch {
	case !slices.Contains(known, m[1]):
		t.Errorf("%q: the page has an attribute %s", nasty, a)
	case m[1] == "href" && !strings.HasPrefix(value, "#") && !strings.HasPrefix(value, "https://example.org/"):
		t.Errorf("%q: the page has a link to %s", nasty, value)
	case m[1] == "src" && !strings.HasPrefix(value, "data:image/"):
		t.Errorf("%q: the page fetches %s", nasty, value)
	}
	return ""
}

// checkText checks that a document contains no forbidden text.
func checkText(t *testing.T, nasty, document string) {
	t.Helper()
	for i, r := range document {
		if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || strings.ContainsRune("\u202e\u2066\u200b\u2028", r) || r >= 0xe0000 {
			t.Fatalf("%q: the document holds %U near %q", nasty, r, document[max(0, i-40):i])
		}
	}
}

// TestMarkdownEscapesContent checks that no text becomes HTML or a heading of the
// document, or affects the text after it.
func TestMarkdownEscapesContent(t *testing.T) {
	md := goldmark.New(goldmark.WithExtensions(extension.GFM))
	const after = "nothing swallowed this"
	for _, nasty := range nasties {
		written := write(t, "md", hostile(t, nasty))
		checkText(t, nasty, written)
		source := []byte(written + "\n" + after + "\n")
		doc := md.Parser().Parse(text.NewReader(source))
		opened, closed := 0, 0
		_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if !entering {
				return ast.WalkContinue, nil
			}
			switch n := n.(type) {
			case *ast.HTMLBlock:
				switch block := string(n.Lines().Value(source)); {
				case strings.HasPrefix(block, "<details>\n<summary>") && strings.HasSuffix(block, "</summary>\n") && n.Parent() == doc:
					opened++
				case block == "</details>\n" && n.Parent() == doc:
					closed++
				default:
					t.Errorf("%q: the document holds the markup %q", nasty, block)
				}
			case *ast.RawHTML:
				t.Errorf("%q: the document holds the markup %q", nasty, n.Segments.Value(source))
			}
			return ast.WalkContinue, nil
		})
		if opened == 0 || opened != closed {
			t.Errorf("%q: %d details elements, %d end tags", nasty, opened, closed)
		}
		last, ok := doc.LastChild().(*ast.Paragraph)
		if !ok || strings.TrimSpace(string(last.Lines().Value(source))) != after {
			t.Errorf("%q: the end of the document swallows what follows", nasty)
		}
	}
}

// A title is text, whatever the characters in it mean in GitHub Markdown.
func TestMarkdownEscapesTitles(t *testing.T) {
	const title, want = "\\ ` * _ [ ] ~ | $ @ # < & > - a", "# \\\\ \\` \\* \\_ \\[ \\] \\~ \\| \\$ \\@ \\# &lt; &amp; > - a"
	if got, _, _ := strings.Cut(write(t, "md", export.Session{Title: title}), "\n"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestColorContrast checks that the colors of the page have the contrast of WCAG AA.
func TestColorContrast(t *testing.T) {
	css, err := os.ReadFile("page.css")
	if err != nil {
		t.Fatal(err)
	}
	schemes := regexp.MustCompile(`:root\{([^}]*)\}`).FindAllStringSubmatch(string(css), -1)
	if len(schemes) != 2 {
		t.Fatalf("got %d schemes, want light and dark", len(schemes))
	}
	pairs := strings.Fields("fg/bg dim/bg accent/bg bad/bg good/bg fg/soft dim/soft accent/soft bad/soft good/soft fg/you dim/you kw/soft st/soft nu/soft co/soft fn/soft ty/soft fg/del fg/ins fg/del-hard fg/ins-hard dim/del dim/ins")
	for i, scheme := range schemes {
		colors := map[string]float64{}
		for field := range strings.SplitSeq(scheme[1], ";") {
			name, value, _ := strings.Cut(strings.TrimPrefix(field, "--"), ":#")
			if len(value) == 3 {
				value = fmt.Sprintf("%c%[1]c%c%[2]c%c%[3]c", value[0], value[1], value[2])
			}
			colors[name] = luminance(t, value)
		}
		for _, pair := range pairs {
			a, b, _ := strings.Cut(pair, "/")
			x, y := colors[a], colors[b]
			if contrast := (max(x, y) + 0.05) / (min(x, y) + 0.05); contrast < 4.5 {
				t.Errorf("scheme %d: %s has a contrast of %.2f, want 4.5", i, pair, contrast)
			}
		}
	}
}

func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(hex, 16, 32)
	if err != nil || len(hex) != 6 {
		t.Fatalf("%q is no color", hex)
	}
	linear := func(v uint64) float64 {
		c := float64(v&0xff) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(n>>16) + 0.7152*linear(n>>8) + 0.0722*linear(n)
}

// The page shows the host of a link, unless its text shows it.
func TestHTMLShowsTheHostsOfLinks(t *testing.T) {
	for source, want := range map[string]string{
		"[docs](https://evil.example/x)":               `docs</a> <span class="host">(evil.example)</span>`,
		"[https://github.com](https://evil.example/x)": `https://github.com</a> <span class="host">(evil.example)</span>`,
		"[https://a.org/x](https://a.org/y)":           "https://a.org/x</a></p>",
		"https://github.com@evil.example/x":            `https://github.com@evil.example/x</a> <span class="host">[host: evil.example]</span>`,
		"<https://аpple.com/>":                         `<span class="host">[host: xn--pple-43d.com]</span>`,
		"www.example.org/x and https://example.org/y":  `www.example.org/x</a> and <a rel="noopener noreferrer nofollow" href="https://example.org/y">https://example.org/y</a></p>`,
		"![logo](https://evil.example/p.png?d=secret)": `image: logo</a> <span class="host">(evil.example)</span>`,
		`[docs](<https://evil.example\@github.com/>)`:  `<span class="host">`,
	} {
		b := newScript()
		b.reply = "r"
		b.user("hello")
		b.say(llm.Assistant, source)
		if page := write(t, "html", b.session()); !strings.Contains(page, want) {
			t.Errorf("%s: %q is missing in %s", source, want, page[strings.Index(page, "<main"):])
		}
	}
}
