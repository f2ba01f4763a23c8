package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
)

// A line is its body's own object with the sequence number put first and the
// checksum last:
//
//	{"seq":12,"type":"user","text":"hello","crc":"9a0b1c2d"}
//
// The checksum is CRC-32C in hex, over all bytes of the line before `,"crc"`.
const (
	seqPrefix  = `{"seq":`
	typePrefix = `{"type":"`
	crcPrefix  = `,"crc":"`
	crcSize    = len(crcPrefix) + 8 + len(`"}`)
)

// maxLine bounds what one record costs a reader in memory.
const maxLine = 64 << 20

// seal appends the line for body, with its newline, to dst. Body has passed
// checkBody.
func seal(dst []byte, seq int, body []byte) []byte {
	start := len(dst)
	dst = append(dst, seqPrefix...)
	dst = strconv.AppendInt(dst, int64(seq), 10)
	dst = append(dst, ',')
	dst = append(dst, body[1:len(body)-1]...)
	sum := checksum(dst[start:])
	dst = append(dst, crcPrefix...)
	dst = fmt.Appendf(dst, "%08x", sum)
	return append(dst, "\"}\n"...)
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// checkBody returns body as it can be sealed: a JSON object on one line that
// begins with its type.
func checkBody(body []byte) ([]byte, error) {
	if !json.Valid(body) {
		return nil, errors.New("a record must be valid JSON")
	}
	if bytes.IndexByte(body, '\n') >= 0 {
		var line bytes.Buffer
		if err := json.Compact(&line, body); err != nil {
			return nil, err
		}
		body = line.Bytes()
	}
	if !bytes.HasPrefix(body, []byte(typePrefix)) || body[len(body)-1] != '}' {
		return nil, fmt.Errorf("a record must begin with %s and end with }", typePrefix)
	}
	if len(body) > maxLine-100 {
		return nil, fmt.Errorf("a record of %d bytes is too long: at most %d", len(body), maxLine-100)
	}
	return body, nil
}

// unseal returns the record of a line without its newline. It keeps text, and
// changes it if it holds a record.
func unseal(text []byte) (Record, bool) {
	end := len(text) - crcSize
	if end < len(seqPrefix) || !bytes.HasPrefix(text, []byte(seqPrefix)) {
		return Record{}, false
	}
	if string(text[end:]) != fmt.Sprintf(`%s%08x"}`, crcPrefix, checksum(text[:end])) {
		return Record{}, false
	}
	number, fields, _ := bytes.Cut(text[len(seqPrefix):end], []byte(","))
	seq, err := strconv.Atoi(string(number))
	if err != nil || seq < 0 || !bytes.HasPrefix(fields, []byte(typePrefix[1:])) {
		return Record{}, false
	}
	start := len(seqPrefix) + len(number) // of the comma, which becomes the brace
	body := text[start : end+1 : end+1]
	body[0], body[len(body)-1] = '{', '}'
	return Record{Seq: seq, Body: body}, true
}

// unsealEnd is unseal for a line whose beginning may be something else, such
// as a fragment that a whole line was glued to. It also returns how much of
// text comes before the record.
func unsealEnd(text []byte) (Record, int, bool) {
	skip := 0
	for range 16 { // a line of many false beginnings must not cost its square
		if r, ok := unseal(text[skip:]); ok {
			return r, skip, true
		}
		if skip >= len(text) {
			break
		}
		i := bytes.Index(text[skip+1:], []byte(seqPrefix))
		if i < 0 {
			break
		}
		skip += 1 + i
	}
	return Record{}, 0, false
}

// hasType reports whether a record is of a type.
func (r Record) hasType(t string) bool {
	return bytes.HasPrefix(r.Body, []byte(typePrefix+t+`"`))
}

const headerType = "header"

// headerBody returns the body of a header line.
func headerBody(h Header) ([]byte, error) {
	return json.Marshal(struct {
		Type string `json:"type"`
		Header
	}{headerType, h})
}

// header reads a Header from the record that holds it.
func (r Record) header() (Header, bool) {
	var h Header
	ok := r.Seq == 0 && r.hasType(headerType) && json.Unmarshal(r.Body, &h) == nil
	return h, ok
}
