package history

import (
	"bytes"
	"encoding/hex"
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
	dst = appendCRC(dst, checksum(0, dst[start:]))
	return append(dst, '\n')
}

// appendCRC appends the end of a line whose text before it has that sum.
func appendCRC(dst []byte, sum uint32) []byte {
	dst = append(dst, crcPrefix...)
	dst = hex.AppendEncode(dst, []byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)})
	return append(dst, `"}`...)
}

// checksum returns the sum of a text whose beginning has the sum before, and
// whose rest is b.
func checksum(before uint32, b []byte) uint32 {
	return crc32.Update(before, crc32.MakeTable(crc32.Castagnoli), b)
}

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
	if bytes.HasPrefix(body, []byte(typePrefix+headerType+`"`)) {
		return nil, errors.New("a record must not call itself a header")
	}
	if len(body) > maxLine-100 {
		return nil, fmt.Errorf("a record of %d bytes is too long: at most %d", len(body), maxLine-100)
	}
	return body, nil
}

// unseal returns the record of a line without its newline. Its body is text's
// own bytes, which are changed for it.
func unseal(text []byte) (Record, bool) {
	end := len(text) - crcSize
	if end < len(seqPrefix) || !bytes.HasPrefix(text, []byte(seqPrefix)) {
		return Record{}, false
	}
	var want [crcSize]byte
	if !bytes.Equal(text[end:], appendCRC(want[:0], checksum(0, text[:end]))) {
		return Record{}, false
	}
	return parse(text)
}

// parse is unseal for a line whose checksum was found right.
func parse(text []byte) (Record, bool) {
	end := len(text) - crcSize
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

// find returns the first record in a line that may hold something else beside,
// such as a fragment that a whole line was glued to, or several records whose
// newlines were lost. The record begins and ends at those offsets.
func find(text []byte) (r Record, start, end int, ok bool) {
	if r, ok := unseal(text); ok {
		return r, 0, len(text), true
	}
	for range 16 { // a line of many false beginnings must not cost its square
		i := bytes.Index(text[start:], []byte(seqPrefix))
		if i < 0 {
			break
		}
		start += i
		if r, n, ok := unsealBegin(text[start:]); ok {
			return r, start, start + n, true
		}
		start++
	}
	return Record{}, 0, 0, false
}

// unsealBegin is unseal for a text that begins with a record. It also returns
// how long the record is.
func unsealBegin(text []byte) (Record, int, bool) {
	var want [crcSize]byte
	sum, summed := uint32(0), 0
	for {
		i := bytes.Index(text[summed:], []byte(crcPrefix))
		if i < 0 || len(text)-summed-i < crcSize {
			return Record{}, 0, false
		}
		end := summed + i
		sum = checksum(sum, text[summed:end])
		if bytes.Equal(text[end:end+crcSize], appendCRC(want[:0], sum)) {
			r, ok := parse(text[:end+crcSize])
			return r, end + crcSize, ok
		}
		sum, summed = checksum(sum, text[end:end+1]), end+1
	}
}

// hasType reports whether a record is of a type.
func (r Record) hasType(t string) bool {
	rest, ok := bytes.CutPrefix(r.Body, []byte(typePrefix))
	return ok && len(rest) > len(t) && string(rest[:len(t)]) == t && rest[len(t)] == '"'
}

const headerType = "header"

// AsWritten returns a directory as a header has it: in a log, which is JSON, a
// byte that is no UTF-8 is U+FFFD.
func AsWritten(dir string) string { return string([]rune(dir)) }

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
