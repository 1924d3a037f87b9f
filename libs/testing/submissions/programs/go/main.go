// net/smtp with a message as tutorials write it, and gomail.
package main

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/smtp"
	"os"
	"strconv"
	"strings"

	"gopkg.in/gomail.v2"
)

func main() {
	var m map[string]string
	file, err := os.ReadFile("../message.json")
	check(err)
	check(json.Unmarshal(file, &m))
	port, err := strconv.Atoi(os.Args[1])
	check(err)

	plain := "From: " + m["from"] + "\r\nTo: " + m["to"] + "\r\nSubject: " + m["subject"] + "\r\n\r\n" + m["text"]
	check(smtp.SendMail("127.0.0.1:"+os.Args[1], nil, m["from"], []string{m["to"]}, []byte(plain)))

	mail := gomail.NewMessage()
	mail.SetAddressHeader("From", m["from"], m["from_name"])
	mail.SetAddressHeader("To", m["to"], m["to_name"])
	mail.SetHeader("Subject", m["subject"])
	mail.SetBody("text/plain", m["text"]+strings.Repeat(m["long_line"], 150))
	mail.AddAlternative("text/html", m["html"])
	bytes := func(encoded string) gomail.FileSetting {
		content, err := base64.StdEncoding.DecodeString(encoded)
		check(err)
		return gomail.SetCopyFunc(func(w io.Writer) error { _, err := w.Write(content); return err })
	}
	mail.Embed("logo@corpus.test", bytes(m["logo"]))
	mail.Attach(m["pdf_name"], bytes(m["pdf"]))
	mail.Attach(m["csv_name"], bytes(base64.StdEncoding.EncodeToString([]byte(m["csv"]))))
	check(gomail.NewDialer("127.0.0.1", port, "", "").DialAndSend(mail))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
