package blobs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math/rand/v2"
)

type (
	mark [8]byte  // begins every record of a pack
	hash [32]byte // SHA-256 of a content
	kind byte
)

const (
	noteKind    kind = 'n'
	contentKind kind = 'c'
	partKind    kind = 'p'
	listKind    kind = 'l'
)

const (
	magic       = "agent undo\x00"
	version     = 1
	headerSize  = 24                         // of a pack
	headSize    = 8 + 1 + 4 + 4 + 8 + 32 + 4 // of a record, before the payload
	trailerSize = 8
	// maxPayload limits the memory for reading a record.
	maxPayload = 64 << 20
)

// errUnreadable is a pack without a readable header, first or last record.
var errUnreadable = errors.New("the stored old file contents are damaged and cannot be read")

// head is what precedes the payload of a record.
type head struct {
	kind    kind
	payload int    // length
	sum     uint32 // checksum of the payload
	size    int64  // of the content
	hash    hash   // of the content
}

// recordSize returns the length of a record with a payload of n bytes.
func recordSize(n int) int64 { return int64(headSize + n + trailerSize) }

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// newHeader returns the header of a new pack.
func newHeader() []byte {
	b := append([]byte(magic), version)
	b = binary.LittleEndian.AppendUint64(b, rand.Uint64()|1) // a zero mark means none
	return binary.LittleEndian.AppendUint32(b, checksum(b))
}

// appendRecord appends a record to dst. It sets the length and checksum in h.
func appendRecord(dst []byte, m mark, h head, payload []byte) []byte {
	start := len(dst)
	dst = append(dst, m[:]...)
	dst = append(dst, byte(h.kind))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(payload)))
	dst = binary.LittleEndian.AppendUint32(dst, checksum(payload))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(h.size))
	dst = append(dst, h.hash[:]...)
	sum := checksum(dst[start:])
	dst = binary.LittleEndian.AppendUint32(dst, sum)
	dst = append(dst, payload...)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(recordSize(len(payload))))
	return binary.LittleEndian.AppendUint32(dst, sum)
}

// parseHead decodes the first headSize bytes of a record.
func parseHead(b []byte, m mark) (head, bool) {
	end := headSize - 4
	if !bytes.HasPrefix(b, m[:]) || binary.LittleEndian.Uint32(b[end:]) != checksum(b[:end]) {
		return head{}, false
	}
	h := head{
		kind:    kind(b[8]),
		payload: int(binary.LittleEndian.Uint32(b[9:])),
		sum:     binary.LittleEndian.Uint32(b[13:]),
		size:    int64(binary.LittleEndian.Uint64(b[17:])),
	}
	copy(h.hash[:], b[25:end])
	return h, h.payload <= maxPayload
}

// isTrailer reports whether b is the end of the record with the given first bytes.
func isTrailer(b, first []byte, h head) bool {
	return binary.LittleEndian.Uint32(b) == uint32(recordSize(h.payload)) &&
		bytes.Equal(b[4:trailerSize], first[headSize-4:headSize])
}

// lastRecord returns the offset of the record that ends at the end of a pack.
func lastRecord(f io.ReaderAt, m mark, size int64) (start int64, ok bool) {
	var trailer [trailerSize]byte
	if _, err := f.ReadAt(trailer[:], size-trailerSize); err != nil {
		return 0, false
	}
	start = size - int64(binary.LittleEndian.Uint32(trailer[:]))
	if start < headerSize {
		return 0, false
	}
	var first [headSize]byte
	if _, err := f.ReadAt(first[:], start); err != nil {
		return 0, false
	}
	if m == (mark{}) {
		m = mark(first[:8])
	}
	h, ok := parseHead(first[:], m)
	return start, ok && isTrailer(trailer[:], first[:], h)
}

// readMark returns the mark of a pack. If the header is damaged, the first or the last
// record has it, too.
func readMark(f io.ReaderAt, size int64) (mark, error) {
	var b [headerSize]byte
	if _, err := f.ReadAt(b[:], 0); err != nil {
		return mark{}, err
	}
	if isHeader(b[:]) {
		if b[len(magic)] > version {
			return mark{}, ErrNewer
		}
		return mark(b[len(magic)+1:]), nil
	}
	starts := []int64{headerSize}
	if last, ok := lastRecord(f, mark{}, size); ok {
		starts = append(starts, last)
	}
	for _, start := range starts {
		var first [headSize]byte
		if _, err := f.ReadAt(first[:], start); err != nil {
			continue
		}
		m := mark(first[:8])
		if _, ok := parseHead(first[:], m); ok && m != (mark{}) {
			return m, nil
		}
	}
	return mark{}, errUnreadable
}

// isHeader reports whether b is an undamaged header of any version.
func isHeader(b []byte) bool {
	end := headerSize - 4
	return bytes.HasPrefix(b, []byte(magic)) && binary.LittleEndian.Uint32(b[end:]) == checksum(b[:end])
}
