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

// A line is the object of its body with the sequence number added first and the
// checksum last:
//
//	{"seq":12,"type":"user","text":"hello","crc":"9a0b1c2d"}
//
// The checksum is CRC-32C in hex of all bytes of the line before `,"crc"`.
const (
	seqPrefix  = `{"seq":`
	typePrefix = `{"type":"`
	crcPrefix  = `,"crc":"`
	crcSize    = len(crcPrefix) + 8 + len(`"}`)
)

// maxLine limits the length of a record, and the memory for reading one.
const maxLine = 64 << 20

// seal appends the line for body, with its newline, to dst. checkBody must have
// accepted body.
func seal(dst []byte, seq int, body []byte) []byte {
	start := len(dst)
	dst = append(dst, seqPrefix...)
	dst = strconv.AppendInt(dst, int64(seq), 10)
	dst = append(dst, ',')
	dst = append(dst, body[1:len(body)-1]...)
	dst = appendCRC(dst, checksum(0, dst[start:]))
	return append(dst, '\n')
}

// appendCRC appends the checksum field and the end of a line.
func appendCRC(dst []byte, sum uint32) []byte {
	dst = append(dst, crcPrefix...)
	dst = hex.AppendEncode(dst, []byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)})
	return append(dst, `"}`...)
}

// checksum returns the checksum of a text, given the checksum of its beginning
// and the rest b.
func checksum(before uint32, b []byte) uint32 {
	return crc32.Update(before, crc32.MakeTable(crc32.Castagnoli), b)
}

// checkBody returns body as a JSON object on one line, or an error if it cannot
// be a record.
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

// unseal decodes a line without its newline. The body shares the memory of
// text, which is modified.
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

// parse is unseal without the checksum.
func parse(text []byte) (Record, bool) {
	end := len(text) - crcSize
	number, fields, _ := bytes.Cut(text[len(seqPrefix):end], []byte(","))
	seq, err := strconv.Atoi(string(number))
	if err != nil || seq < 0 || !bytes.HasPrefix(fields, []byte(typePrefix[1:])) {
		return Record{}, false
	}
	start := len(seqPrefix) + len(number) // offset of the comma, which is replaced by a brace
	body := text[start : end+1 : end+1]
	body[0], body[len(body)-1] = '{', '}'
	return Record{Seq: seq, Body: body}, true
}

// find returns the first record in a line with damage, such as a fragment
// followed by a complete line, or several records whose newlines were lost.
// start and end are its offsets.
func find(text []byte) (r Record, start, end int, ok bool) {
	if r, ok := unseal(text); ok {
		return r, 0, len(text), true
	}
	for range 16 { // limits the quadratic cost of many false matches
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

// unsealBegin decodes the record at the beginning of text and returns its
// length.
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

// hasType reports whether r has type t.
func (r Record) hasType(t string) bool {
	rest, ok := bytes.CutPrefix(r.Body, []byte(typePrefix))
	return ok && len(rest) > len(t) && string(rest[:len(t)]) == t && rest[len(t)] == '"'
}

const headerType = "header"

// headerBody returns the body of a header line.
func headerBody(h Header) ([]byte, error) {
	return json.Marshal(struct {
		Type string `json:"type"`
		Header
	}{headerType, h})
}

// header decodes r if it is a header.
func (r Record) header() (Header, bool) {
	var h Header
	ok := r.Seq == 0 && r.hasType(headerType) && json.Unmarshal(r.Body, &h) == nil
	return h, ok
}
