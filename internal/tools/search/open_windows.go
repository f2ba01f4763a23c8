package search

const nonblock = 0
