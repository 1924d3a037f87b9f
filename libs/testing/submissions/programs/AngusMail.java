import jakarta.activation.DataHandler;
import jakarta.mail.*;
import jakarta.mail.internet.*;
import jakarta.mail.util.ByteArrayDataSource;
import java.nio.file.*;
import java.util.*;

/** Jakarta Mail (Angus), with encoded and with raw names of files. */
public class AngusMail {
  public static void main(String[] args) throws Exception {
    String pdf = "JVBERi0xLjQKJeLjz9MKAAECAw0NCgoNLi4N";
    for (String encode : List.of("true", "false")) {
      System.setProperty("mail.mime.encodefilename", encode);
      System.setProperty("mail.mime.encodeparameters", encode);
      Properties properties = new Properties();
      properties.put("mail.smtp.host", "127.0.0.1");
      properties.put("mail.smtp.port", args[0]);
      properties.put("mail.mime.allowutf8", encode.equals("false") ? "true" : "false");
      MimeMessage mail = new MimeMessage(Session.getInstance(properties));
      mail.setFrom(new InternetAddress("orders@corpus.test", "Jürgen Müller", "UTF-8"));
      mail.setRecipient(Message.RecipientType.TO, new InternetAddress("grace@customers.test", "Grace Höpper", "UTF-8"));
      mail.setSubject("Größe ✓ 測試 für Ihre Bestellung Nr. 4711", "UTF-8");
      MimeBodyPart text = new MimeBodyPart();
      text.setText("Grüße ✓ 測試\n.\n..zwei Punkte\nFrom the shop\n" + "äöü-0123456789 ".repeat(150), "UTF-8");
      MimeBodyPart html = new MimeBodyPart();
      html.setText("<p>Grüße ✓ <b>測試</b></p>", "UTF-8", "html");
      MimeMultipart alternative = new MimeMultipart("alternative", text, html);
      MimeBodyPart body = new MimeBodyPart();
      body.setContent(alternative);
      MimeBodyPart file = new MimeBodyPart();
      file.setDataHandler(new DataHandler(new ByteArrayDataSource(Base64.getDecoder().decode(pdf), "application/pdf")));
      file.setFileName("Rechnung März 2026 – Größe.pdf");
      mail.setContent(new MimeMultipart(body, file));
      Transport.send(mail);
    }
  }
}
