"""Vietnamese: syllables with blanks between them, so that most words are phrases here."""

from __future__ import annotations

from engram.proposals.languages.tables import Language, pairs, word_set

__all__ = ["VIETNAMESE"]


def _same(word: str) -> str:
    return word


_PHRASES = {
    "không bao giờ": "NOT", "không được": "MUST NOT", "không nên": "MUST NOT", "không phải": "NOT", "không": "NOT",
    "đừng": "NOT", "chớ": "NOT", "chưa": "NOT", "cấm": "NOT", "nghiêm cấm": "NOT", "tránh": "NOT", "không còn": "NOT",
    "phải": "MUST", "nên": "MUST", "cần phải": "MUST", "bắt buộc phải": "MUST", "có thể": "MAY",
    "được phép": "MAY", "được": "", "bị": "", "là": "BE", "=": "BE", "bằng": "bằng", "gọi là": "BE", "đặt là": "BE",
    "bởi vì": "BECAUSE", "vì": "BECAUSE", "do": "BECAUSE", "để tránh": "BECAUSE", "nếu không": "BECAUSE",
    "nhằm": "BECAUSE", "cho nên": "BECAUSE", "kể cả": "BECAUSE", "thay vì": "INSTEAD", "chứ không": "INSTEAD",
    "thay cho": "INSTEAD", "ít nhất": "LEAST", "tối thiểu": "LEAST", "nhiều nhất": "MOST", "sử dụng": "dùng",
    "luôn luôn": "", "luôn": "", "mọi": "", "mỗi": "", "tất cả": "", "các": "", "những": "", "hiện tại": "",
    "hiện nay": "",
    "thứ hai": "thứ_2", "thứ ba": "thứ_3", "thứ tư": "thứ_4", "thứ năm": "thứ_5", "thứ sáu": "thứ_6",
    "thứ bảy": "thứ_7",
    "chủ nhật": "chủ_nhật", "trong khi": "khi", "trước khi": "trước", "sau khi": "sau", "cài đặt": "cài_đặt",
    "triển khai": "triển_khai", "lưu trữ": "lưu", "lưu": "lưu", "thử lại": "thử_lại", "giới hạn": "giới_hạn",
    "tiếng anh": "tiếng_anh", "tiếng việt": "tiếng_việt", "tiếng nhật": "tiếng_nhật", "vào ngày": "vào", "ngày": "ngày",
    "mặc định": "mặc_định", "người phụ trách": "phụ_trách", "xây dựng": "xây_dựng",
}  # fmt: skip

VIETNAMESE = Language(
    code="vi",
    phrases=_PHRASES,
    ends=frozenset(),
    fillers=word_set("hãy cũng đã đang sẽ đều chỉ vẫn rất thì mà xin vui lòng này đó ấy ta chúng tôi mình bạn nhóm"),
    articles=word_set("một cái chiếc con"),
    people=word_set("nhóm đội"),
    prepositions={
        word: word for word in word_set("cho trong trên ở vào với từ đến để khi trước sau bằng tại của về nếu qua")
    },
    scopes=word_set("cho để khi trước sau của nếu"),
    choose=word_set("dùng chọn"),
    settle=word_set("lưu chạy viết gửi cài_đặt triển_khai xây_dựng giữ ghi mở đóng mất thử_lại hết nghe"),
    stays=word_set("họp ở sống"),
    verbs=word_set("có cần xóa tạo đẩy sửa kiểm đặt thêm tăng giảm"),
    flips={},
    grants=frozenset(),
    opposites=pairs("trước/sau LEAST/MOST bật/tắt", _same),
    contraries=pairs("tăng/giảm", _same),
    attributes=word_set("giới_hạn cổng màu tên nhánh phiên mặc_định phụ_trách mức số thời hạn ngôn"),
    prefers=word_set("hơn INSTEAD"),
    clauses=word_set("mà khi nếu"),
    key=_same,
    loose=_same,
)
