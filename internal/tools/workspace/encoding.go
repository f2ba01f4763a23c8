package workspace

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"agent/internal/tools/advice"
	"agent/internal/tools/charset"
)

// decode makes d a draft of the text of a file in another encoding than UTF-8.
func (d *Draft) decode() {
	if d.Before == nil || d.saved != nil { // editors hold UTF-8
		return
	}
	text, e := charset.Text(d.Before)
	if d.encoding = e; e.Converts() {
		d.saved, d.Before, d.After = d.Before, text, text
	}
}

// IsEncoded reports whether the file is not written as UTF-8.
func (d *Draft) IsEncoded() bool {
	return d.encoding.Converts() || d.encoding == charset.Unknown || d.encoding == charset.Damaged
}

// CheckEditable returns an error if no part of the text can be changed, because the rest cannot
// be written as it is.
func (d *Draft) CheckEditable() error {
	if d.encoding != charset.Damaged {
		return nil
	}
	return advice.Add(fmt.Errorf("%s was not changed: it is %s, so that a part of it cannot be changed", d.Path, d.encoding),
		"Replace all of it with write, which makes it UTF-8, or repair it with a command")
}

// Size returns the size of the written file in bytes.
func (d *Draft) Size() int64 { return int64(len(d.disk)) }

// encoded returns After in the encoding of the file.
func (d *Draft) encoded() ([]byte, error) {
	old := d.Before
	if d.attributesOf != nil {
		old = d.attributesOf.Before // it may be moved here
	}
	if d.After == nil || !d.encoding.Converts() && bytes.Equal(d.After, old) {
		return d.After, nil
	}
	if err := d.CheckEditable(); err != nil {
		return nil, err
	}
	if d.encoding == charset.Unknown && wide(d.After) > wide(old) {
		return nil, advice.Add(fmt.Errorf("%s was not changed: it is in %s, and the new text is not ASCII", d.Path, d.encoding),
			"Use only ASCII in the new text, or convert the file to UTF-8 with a command such as iconv")
	}
	content, err := d.encoding.Encode(d.After)
	if err != nil {
		return nil, advice.Add(fmt.Errorf("%s was not changed: %w", d.Path, err),
			"Use only characters of that encoding, or convert the file to UTF-8 with a command such as iconv")
	}
	return content, nil
}

// wide counts the characters of valid UTF-8 outside ASCII.
func wide(text []byte) (n int) {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r >= utf8.RuneSelf && size > 1 {
			n++
		}
		text = text[size:]
	}
	return n
}

// byteOrderMark begins decoded text with such a mark.
var byteOrderMark = []byte("\ufeff")

// keepEncoding keeps the encoding of a file whose content is replaced, if it has all new
// characters. Otherwise the file becomes UTF-8, and a note says so.
func (d *Draft) keepEncoding() {
	if !d.IsEncoded() {
		return
	}
	if bytes.HasPrefix(d.Before, byteOrderMark) && !bytes.HasPrefix(d.After, byteOrderMark) {
		d.After = append(bytes.Clone(byteOrderMark), d.After...)
	}
	if _, err := d.encoded(); err == nil {
		return
	}
	d.After = bytes.TrimPrefix(d.After, byteOrderMark)
	d.Converted = fmt.Sprintf("its encoding changes from %s to UTF-8", d.encoding)
	d.encoding = charset.UTF8
}
